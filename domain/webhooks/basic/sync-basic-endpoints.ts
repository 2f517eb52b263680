import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import type { Triggers } from '../../configuration/triggers.ts';
import { tablesOf } from '../../tables.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { removed, switched } from '../endpoints/endpoint-rules.ts';
import { webhookSecretContext } from '../endpoints/secret-context.ts';

/** The configuration of the basic webhook. */
export interface WebhookConfiguration {
  readonly useWebhookService: boolean;
  readonly webhookServiceConfig: {
    readonly authToken: string;
    readonly rawNotificationUrl: string;
    readonly processedNotificationUrl: string;
    readonly publicKey: string;
    readonly encodeData: boolean;
    readonly encryptData: boolean;
    readonly enableDataProtection: boolean;
    readonly triggers: {
      readonly comment: Triggers;
      readonly huddle: Triggers;
      readonly crdt: Triggers;
      readonly recorder: Triggers;
    };
  };
}

interface BasicEndpoint {
  readonly kind: number;
  readonly url: string;
}

/**
 * Keeps one endpoint row per configured URL while the service and at least one trigger are on. Call it in the transaction
 * that writes and locks the configuration. After the commit that removes a row, only an attempt already connecting completes.
 */
export async function syncBasicEndpoints(
  em: EntityManager,
  { keyRing, apiKeyId }: { readonly keyRing: KeyRing; readonly apiKeyId: string },
  configuration: WebhookConfiguration,
): Promise<void> {
  const present = await tablesOf(em)
    .selectFrom('webhook_endpoint as w')
    .select(['kind', 'public_id'])
    .where('api_key_id', '=', apiKeyId)
    .where(isBasic)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  const wanted = endpointsOf(configuration);
  if (present.length === 0 && wanted.length === 0) return;
  const { authToken } = configuration.webhookServiceConfig;
  const written = wanted.map(({ kind, url }) => {
    const publicId = present.find((row) => row.kind === kind)?.public_id ?? randomToken('ep');
    const context = webhookSecretContext('secret_enc', { publicId, apiKeyId });
    return { kind, url, publicId, secret: authToken === '' ? null : keyRing.encrypt(authToken, context) };
  });
  const kinds = written.map(({ kind }) => kind);
  const types = typesOf(configuration);
  // A disabled URL is enabled again only when it changes, or when the service is turned off and on.
  await sql`with wanted as (
      select * from unnest(${kinds}::smallint[], ${written.map(({ url }) => url)}::text[],
        ${written.map(({ publicId }) => publicId)}::text[], ${written.map(({ secret }) => secret)}::bytea[])
        as t (kind, url, public_id, secret_enc)),
    gone as (
      update webhook_endpoint w set ${assigned(removed)}
      where w.api_key_id = ${apiKeyId} and ${isBasic} and w.deleted_at is null and w.kind <> all(${kinds}::smallint[])),
    kept as (
      update webhook_endpoint w set url = t.url, secret_enc = t.secret_enc, filter_types = ${types},
        ${assigned(switched({ disables: sql`case when ${moves} then false end`, moves }))}
      from wanted t
      where w.api_key_id = ${apiKeyId} and w.kind = t.kind and ${isBasic} and w.deleted_at is null returning w.kind)
    insert into webhook_endpoint (api_key_id, public_id, kind, url, secret_enc, filter_types)
    select ${apiKeyId}, t.public_id, t.kind, t.url, t.secret_enc, ${types} from wanted t
    where t.kind not in (select kind from kept)`.execute(tablesOf(em));
}

const isBasic = sql<boolean>`w.kind in (${sql.lit(endpointKinds.basicRaw)}, ${sql.lit(endpointKinds.basicProcessed)})`;

const moves = sql<boolean>`(w.url <> t.url)`;

/** SQL: the assignments of an update. */
const assigned = (columns: Readonly<Record<string, RawBuilder<unknown> | null>>) =>
  sql.join(Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value ?? sql.lit(null)}`));

/** Event types whose trigger is on, over all groups. */
const typesOf = ({ webhookServiceConfig: { triggers } }: WebhookConfiguration): string[] => [
  ...new Set(
    Object.values(triggers).flatMap((group) =>
      Object.entries(group)
        .filter(([, on]) => on)
        .map(([type]) => type),
    ),
  ),
];

function endpointsOf(configuration: WebhookConfiguration): BasicEndpoint[] {
  const { useWebhookService, webhookServiceConfig: service } = configuration;
  if (!useWebhookService || typesOf(configuration).length === 0) return [];
  return [
    { kind: endpointKinds.basicRaw, url: service.rawNotificationUrl },
    { kind: endpointKinds.basicProcessed, url: service.processedNotificationUrl },
  ].filter(({ url }) => url !== '');
}
