import { z } from 'zod';
import { changesSomething, type Change } from '../../domain/configuration/change.ts';
import type { ConfigurationKind } from '../../domain/configuration/kind.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';
import { updateConfiguration } from '../../domain/configuration/update-configuration.ts';
import type { ErrorStatus } from '../../domain/errors.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import type { Messaging } from '../../platform/config/messaging.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { dataResponse, succeeded, type DataResponse } from '../http/response/data.ts';
import { endpoint, type DeclaredEndpoint, type Work } from '../http/endpoint.ts';

/** A configuration on the wire. `configurationOperations` creates its two operations. */
export interface Configuration<
  Config extends object,
  Update extends z.ZodType,
  View extends z.ZodType,
  Path extends string,
> {
  readonly kind: ConfigurationKind<Config>;
  /** `/v2/workspace/<path>/get` and `/update`. */
  readonly path: Path;
  readonly summaries: { readonly get: string; readonly update: string };
  readonly descriptions: { readonly get: string; readonly update: string };
  readonly messages: { readonly get: string; readonly update: string };
  /** The error message for an update without a known member. */
  readonly emptyUpdateMessage: string;
  readonly update: Update;
  readonly example: z.input<Update>;
  readonly errors?: readonly ErrorStatus[];
  readonly response: View;
  toChange(sent: z.output<Update>): Change<NoInfer<Config>>;
  /** Runs in the transaction of the update, for effects outside the domain. */
  afterWrite?(
    written: WrittenConfiguration<NoInfer<Config>>,
    tenant: CallingTenant,
    work: Work,
  ): Promise<void>;
  view(config: NoInfer<Config>, reading: Reading): z.input<View> | Promise<z.input<View>>;
}

/** A configuration before and after an update. */
interface WrittenConfiguration<Config> {
  readonly before: Config;
  readonly after: Config;
}

/** The context in which a view reads. */
export interface Reading {
  readonly em: EntityManager;
  readonly tenant: CallingTenant;
  readonly messaging: Messaging;
}

/** The messages of every configuration but `apikeyconfig`. */
export const configurationMessages = (title: string) => ({
  get: `${title} configuration retrieved successfully.`,
  update: `${title} configuration updated successfully.`,
});

type ConfigurationOperations<
  Update extends z.ZodType,
  View extends z.ZodType,
  Path extends string,
> = readonly [
  DeclaredEndpoint<
    'apiKey',
    z.ZodType<object, Record<string, never>>,
    DataResponse<View>,
    readonly [`/v2/workspace/${Path}/get`],
    false
  >,
  DeclaredEndpoint<'apiKey', Update, DataResponse<View>, readonly [`/v2/workspace/${Path}/update`], true>,
];

/** `get` returns every member. `update` merges the members sent into the stored value and returns all of it. */
export function configurationOperations<
  Config extends object,
  Update extends z.ZodType,
  View extends z.ZodType,
  const Path extends string,
>(configuration: Configuration<Config, Update, View, Path>): ConfigurationOperations<Update, View, Path> {
  const { kind, path, summaries, descriptions, messages, response } = configuration;
  // The HTTP layer validates each response by its schema; its type would stay an open generic here.
  const view = async (config: Config, reading: Reading): Promise<unknown> =>
    await configuration.view(config, reading);
  const get = endpoint({
    paths: [`/v2/workspace/${path}/get`],
    credentials: 'apiKey',
    mutates: false,
    summary: summaries.get,
    description: descriptions.get,
    data: z.strictObject({}),
    response: dataResponse(response as z.ZodType),
    errors: [],
    example: {},
    async handle({ tenant }, { em, keyRing, messaging }) {
      const config = await readConfiguration(em, keyRing, tenant.id, kind);
      return succeeded(messages.get, await view(config, { em, tenant, messaging }));
    },
  });
  const known = configuration.update as z.ZodType<z.output<Update>, z.input<Update>>;
  const data = known.superRefine((sent, context) => {
    if (!changesSomething(sent))
      context.addIssue({ code: 'custom', message: configuration.emptyUpdateMessage });
  });
  const example: z.input<typeof data> = configuration.example;
  const update = endpoint({
    paths: [`/v2/workspace/${path}/update`],
    credentials: 'apiKey',
    mutates: true,
    audit: { action: 'configuration.update', target: () => kind.name },
    summary: summaries.update,
    description: descriptions.update,
    data,
    response: dataResponse(response as z.ZodType),
    errors: configuration.errors ?? [],
    example,
    async handle({ data, tenant }, work) {
      const { em, keyRing, messaging } = work;
      const change = configuration.toChange(data);
      const written = await updateConfiguration(em, keyRing, tenant.id, { kind, change });
      work.audit.changed(written.before, written.after, kind.secrets);
      await configuration.afterWrite?.(written, tenant, work);
      return succeeded(messages.update, await view(written.after, { em, tenant, messaging }));
    },
  });
  return [get, update] as unknown as ConfigurationOperations<Update, View, Path>;
}
