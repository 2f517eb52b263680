import type { z } from 'zod';
import type { ErrorStatus } from '../../domain/errors.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { CrdtReads } from '../../domain/crdt/crdt-reads.ts';
import type { WorkspaceCaller } from '../../domain/credentials/authenticate.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { IdempotentRequest } from '../../domain/idempotency/idempotency.ts';
import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { WebhookProvider } from '../../domain/webhooks/provider.ts';
import type { Outbound } from '../../platform/outbound/outbound-connections.ts';
import type { StartableJob } from '../../domain/jobs/job-kinds.ts';
import type { Rewriter } from '../rewriter/rewriter.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';

/** Whose headers an operation asks for; `operator` is the deployment's own. */
export type Credentials = 'apiKey' | 'workspace' | 'operator';

interface Callers {
  readonly apiKey: { readonly tenant: Tenant };
  readonly workspace: { readonly workspace: WorkspaceCaller };
  readonly operator: object;
}

/** What a handler is given: the caller, proved; the data, checked. */
export type Call<Kind extends Credentials, Data> = Callers[Kind] & {
  readonly data: Data;
  readonly path: string;
  readonly version: 1 | 2;
};

/**
 * What a handler works with. In a mutating endpoint `em` is the one transaction that the frame opened. In a reading one
 * it is for statements, each by itself; a handler that loads entities works with a fork of it.
 */
export interface Work {
  readonly em: EntityManager;
  readonly keyRing: KeyRing;
  readonly crdtReads: CrdtReads;
  /** Issuer of receipts. */
  readonly publicUrl: string;
  /** Asks the customer's own server: never within a transaction. */
  readonly permissionProvider: PermissionProvider;
  /** Asks AI providers through workflows: never within a transaction. */
  readonly rewriter: Rewriter;
  readonly webhooks: WebhookProvider;
  /** Calls to addresses that customers chose: never within a transaction. */
  readonly outbound: Outbound;
  /** The call under its Idempotency-Key: the same for every repetition of it. Undefined without a key, and while reading. */
  readonly idempotent: IdempotentRequest | undefined;
  /** Starts the job's workflow after the commit. Never awaited for the answer; the sweep makes up for a start that fails. */
  readonly startJob: (job: StartableJob) => void;
  /** After the commit, has an endpoint looked at at once: its messages or whether it gets any have changed. Public ids. */
  readonly wakeEndpoint: (endpoint: { readonly keyId: string; readonly endpointId: string }) => void;
  /** Where an operator sees a job's workflow in the Temporal UI; null when that has no known address. */
  readonly workflowUrl: (workflowId: string) => string | null;
  /** Runs after the commit, and only if there is one. */
  readonly afterCommit: (action: () => void) => void;
}

/** One path, or the `/v1` and `/v2` twins of one operation. */
export type Paths = readonly [string, ...string[]];

/** What `endpoint` makes an operation of. */
export interface EndpointDefinition<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths = Paths,
  Mutates extends boolean = boolean,
> {
  /** On `/v1` unknown members are passed over. */
  readonly paths: RoutePaths;
  readonly credentials: Kind;
  /** Runs in one transaction, and honours `Idempotency-Key`. */
  readonly mutates: Mutates;
  readonly summary: string;
  readonly data: Data;
  readonly response: Response;
  /** Beyond those that every operation of its credentials may give. */
  readonly errors: readonly ErrorStatus[];
  /** Mebibytes; 1 unless said. */
  readonly maxBodyMebibytes?: number;
  /** Bytes of the largest response to a read, where it is not a list and may have more than 64 KiB: they are reserved before it is read. */
  readonly maxResponseBytes?: number;
  /** A complete `data` that the reference shows and the tests send. */
  readonly example: z.input<Data>;
  handle(call: Call<Kind, z.output<Data>>, work: Work): Promise<Reply<Response>>;
}

/** What holds for every call to this installation. */
export interface Installation {
  /** Who keeps and serves the endpoints of advanced webhooks. */
  readonly webhooks: WebhookProvider;
}

/**
 * For an operation that must call someone else before it can answer. Three steps instead of one transaction: `prepare`
 * commits by itself, together with the claim of the idempotency key; `reach` calls outside with no connection held;
 * `handle`, given its outcome, is the second transaction, which stores the answer. A process that dies in between leaves
 * a claim that ends with `limit`.
 */
export interface OutsideSteps<Request, Prepared, Outcome> {
  /** Longest time of `reach` in milliseconds; its signal aborts then. */
  readonly limitMs: number;
  /** Calls that need nobody else run in one transaction, without an outcome. Absent: all of them do. */
  readonly needed?: (call: Request, installation: Installation) => boolean;
  /** Without an Idempotency-Key nobody can have the answer once the caller has gone: the signal of `reach` aborts then. */
  readonly abortsWithCaller?: boolean;
  readonly prepare: (call: Request, work: Work) => Promise<Prepared>;
  readonly reach: (prepared: Prepared, signal: AbortSignal) => Promise<Outcome>;
}

/** An operation of the API as the middleware, the reference, the client and the tests read it. */
export interface Endpoint extends Omit<EndpointDefinition<Credentials, z.ZodType, AnyResponse>, 'handle'> {
  readonly outside?: OutsideSteps<Call<Credentials, unknown>, unknown, unknown>;
  /** See `groupedEndpoint`. */
  readonly handleTogether?: (
    calls: readonly Call<'apiKey', unknown>[],
    work: Work,
  ) => Promise<readonly Reply<AnyResponse>[]>;
  handle(call: Call<Credentials, unknown>, work: Work): Promise<Reply<AnyResponse>>;
}

/** An operation whose types tell what may be sent and what is answered: the client is made of them. */
export interface DeclaredEndpoint<
  Kind extends Credentials = Credentials,
  Data extends z.ZodType = z.ZodType,
  Response extends AnyResponse = AnyResponse,
  RoutePaths extends Paths = Paths,
  Mutates extends boolean = boolean,
> extends Endpoint {
  readonly credentials: Kind;
  readonly data: Data;
  readonly response: Response;
  readonly paths: RoutePaths;
  readonly mutates: Mutates;
  readonly example: z.input<Data>;
}

/** The identity: an answer that does not fit `response`, or an unknown error status, does not compile. */
export function endpoint<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  const Mutates extends boolean,
>(
  definition: EndpointDefinition<Kind, Data, Response, RoutePaths, Mutates>,
): DeclaredEndpoint<Kind, Data, Response, RoutePaths, Mutates> {
  return definition;
}

type OutsideDefinition<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Prepared,
  Outcome,
> = Omit<EndpointDefinition<Kind, Data, Response, RoutePaths>, 'handle' | 'mutates'> & {
  readonly outside: OutsideSteps<Call<Kind, z.output<Data>>, Prepared, Outcome>;
  handle(
    call: Call<Kind, z.output<Data>> & { readonly outcome: Outcome },
    work: Work,
  ): Promise<Reply<Response>>;
};

/** An endpoint of three steps; see `OutsideSteps`. The frame hands `handle` the outcome that `reach` answered. */
export function outsideEndpoint<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  Prepared,
  Outcome,
>(
  definition: OutsideDefinition<Kind, Data, Response, RoutePaths, Prepared, Outcome>,
): DeclaredEndpoint<Kind, Data, Response, RoutePaths, true> {
  return { ...definition, mutates: true } as unknown as DeclaredEndpoint<
    Kind,
    Data,
    Response,
    RoutePaths,
    true
  >;
}

type GroupedDefinition<Data extends z.ZodType, Response extends AnyResponse, RoutePaths extends Paths> = Omit<
  EndpointDefinition<'apiKey', Data, Response, RoutePaths>,
  'handle' | 'mutates' | 'credentials'
> & {
  handleTogether(
    calls: readonly [Call<'apiKey', z.output<Data>>, ...Call<'apiKey', z.output<Data>>[]],
    work: Work,
  ): Promise<readonly Reply<Response>[]>;
};

/**
 * A mutating endpoint of API keys that writes several calls in one transaction as well as one: see `GroupCommit`. It is
 * given calls of one key under the same settings, and answers them in their order; it may throw whenever it could not
 * answer all of them, for then each is sent again by itself.
 */
export function groupedEndpoint<
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
>(
  definition: GroupedDefinition<Data, Response, RoutePaths>,
): DeclaredEndpoint<'apiKey', Data, Response, RoutePaths, true> {
  const handle = async (call: Call<'apiKey', z.output<Data>>, work: Work): Promise<Reply<Response>> => {
    const [reply] = await definition.handleTogether([call], work);
    if (reply === undefined) throw new Error('A call was not answered.');
    return reply;
  };
  return {
    ...definition,
    credentials: 'apiKey',
    mutates: true,
    handle,
  } as unknown as DeclaredEndpoint<'apiKey', Data, Response, RoutePaths, true>;
}

/** The paths of an operation that stands under both versions. */
export function bothVersions<const Operation extends string>(
  operation: Operation,
): readonly [`/v1/${Operation}`, `/v2/${Operation}`] {
  return [`/v1/${operation}`, `/v2/${operation}`];
}
