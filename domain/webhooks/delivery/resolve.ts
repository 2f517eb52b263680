import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { indexLookups, planOnce } from '../../../platform/database/planner.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { currentEpoch, isOtherTimeline } from '../../restores/epochs.ts';
import { basicKinds } from '../../events/endpoint-kinds.ts';
import { promisedMs } from '../../events/promises.ts';
import { webhookSecretContext } from '../endpoints/secret-context.ts';
import { isPaused, sinceResumed } from '../pauses/pauses-of.ts';
import { areSent, type PayloadOptions } from './payload.ts';

/** An endpoint of any kind, with everything that sending needs. */
export interface Destination {
  /** Surrogate key. */
  readonly id: string;
  readonly publicId: string;
  readonly tenantId: string;
  readonly kind: number;
  readonly url: string;
  /** Messages per second. */
  readonly rateLimit: number | null;
  /** Application id at the external provider, for rows of kind `application`. */
  readonly providerId: string | null;
  /** Decrypted secrets, current one first; for the basic webhook its token. */
  readonly secrets: readonly string[];
  readonly options: PayloadOptions;
  /** Milliseconds since the first failure without a later success; null when healthy. */
  readonly failingMs: number | null;
  /** A recovery from an outage has not reached all waiting messages. */
  readonly recovering: boolean;
  /** Milliseconds since the last pause of its deliveries ended; null without one. */
  readonly resumedMs: number | null;
  /** Milliseconds for which a turn has promised to keep polling; zero or negative without a promise. */
  readonly drainingMs: number;
  /** Milliseconds by which PostgreSQL's clock is ahead of this process's; 0 where they differ by less than a minute. */
  readonly clockAheadMs: number;
  /** The epoch of sequences. */
  readonly epoch: string;
  /** The epoch is that of another timeline of the server: no message with a sequence may carry it. */
  readonly isOtherTimeline: boolean;
  /**
   * Only `open` endpoints receive messages. `waiting` ends with a change of the key's configuration or of the webhook
   * provider, `paused` with a resume.
   */
  readonly state: 'open' | 'waiting' | 'paused' | 'disabled' | 'deleted';
}

/** Identifies an endpoint of a tenant. */
export interface EndpointRef {
  readonly tenantId: string;
  /** Public id. */
  readonly endpointId: string;
}

/** Advanced webhooks keep the options at the top level, the basic webhook in `webhookServiceConfig`. */
type StoredConfiguration = Partial<PayloadOptions> & {
  readonly isEnabled?: boolean;
  readonly useWebhookService?: boolean;
  readonly webhookServiceConfig?: Partial<PayloadOptions>;
};

const DestinationRow = z.strictObject({
  id: z.string(),
  public_id: z.string(),
  api_key_id: z.string(),
  kind: z.number(),
  url: z.string(),
  rate_limit: z.number().nullable(),
  provider_id: z.string().nullable(),
  secret_enc: z.instanceof(Buffer).nullable(),
  old_secret_enc: z.instanceof(Buffer).nullable(),
  basic: z.boolean(),
  disabled: z.boolean(),
  deleted: z.boolean(),
  paused: z.boolean(),
  failing_for: z.number().nullable(),
  recovering: z.boolean(),
  resumed_for: z.number().nullable(),
  draining_for: z.number().nullable(),
  clock: z.number(),
  epoch: z.string(),
  other_timeline: z.boolean(),
  set_config: z.string(),
});
type DestinationRow = z.infer<typeof DestinationRow>;

const ConfigurationRow = z.strictObject({
  config: z.custom<StoredConfiguration>((config) => typeof config === 'object'),
});

/**
 * Reads and share-locks an endpoint: a delete or disable, and a change of the configuration, wait until messages claimed in
 * this transaction are committed.
 * Sets the transaction to index lookups with cached plans, because planning over all daily partitions is slow. Undefined
 * when the endpoint does not exist.
 */
export async function resolve(
  em: EntityManager,
  keyRing: KeyRing,
  { tenantId, endpointId }: EndpointRef,
): Promise<Destination | undefined> {
  const found = await rowOf(
    em,
    DestinationRow,
    sql`select w.id, w.public_id, w.api_key_id, w.kind, w.url, w.rate_limit, w.provider_id, w.secret_enc,
       case when w.old_secret_until > now() then w.old_secret_enc end as old_secret_enc,
       w.disabled_at is not null as disabled, w.deleted_at is not null as deleted, w.kind in ${basicKinds} as basic, ${isPaused} as paused,
       (extract(epoch from ${sinceResumed}) * 1000)::float8 as resumed_for,
       (extract(epoch from now() - w.failing_since) * 1000)::float8 as failing_for, w.recovered_until is not null as recovering,
       (select extract(epoch from d.draining_until - clock_timestamp()) * 1000 from webhook_drain d where d.endpoint_id = w.id)::float8 as draining_for,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as clock, ${currentEpoch} as epoch,
       ${isOtherTimeline} as other_timeline, ${indexLookups}, ${planOnce}
     from webhook_endpoint w where w.public_id = ${endpointId} and w.api_key_id = ${tenantId} for key share of w`,
  );
  if (found === undefined) return undefined;
  // A separate statement: it must see a configuration that was committed while the first one waited for the endpoint.
  const configured = await rowOf(
    em,
    ConfigurationRow,
    sql`select config from key_config
      where api_key_id = ${tenantId} and kind = ${found.basic ? 'webhook' : 'advancedwebhook'}`,
  );
  return destinationOf(found, configured?.config ?? {}, keyRing);
}

function destinationOf(found: DestinationRow, config: StoredConfiguration, keyRing: KeyRing): Destination {
  const { basic } = found;
  const chosen = basic ? (config.webhookServiceConfig ?? {}) : config;
  const options: PayloadOptions = {
    encodeData: chosen.encodeData ?? false,
    encryptData: chosen.encryptData ?? false,
    enableDataProtection: chosen.enableDataProtection ?? false,
    publicKey: chosen.publicKey ?? '',
  };
  const on = (basic ? config.useWebhookService : config.isEnabled) ?? false;
  return {
    id: found.id,
    publicId: found.public_id,
    tenantId: found.api_key_id,
    kind: found.kind,
    url: found.url,
    rateLimit: found.rate_limit,
    providerId: found.provider_id,
    secrets: secretsOf(found, keyRing),
    options,
    failingMs: found.failing_for,
    recovering: found.recovering,
    resumedMs: found.resumed_for,
    drainingMs: promisedMs(found.draining_for ?? 0),
    clockAheadMs: clockAheadMs(found.clock),
    epoch: found.epoch,
    isOtherTimeline: found.other_timeline,
    state: stateOf(found, areSent(on, options)),
  };
}

/**
 * Whole milliseconds. Receivers refuse timestamps that are 5 minutes off, so a process whose clock is wrong must not sign by it. Smaller
 * differences may be the delay of PostgreSQL's response.
 */
function clockAheadMs(clock: number): number {
  const ahead = clock - Date.now();
  return Math.abs(ahead) < 60_000 ? 0 : Math.round(ahead);
}

function stateOf({ deleted, disabled, paused }: DestinationRow, on: boolean): Destination['state'] {
  if (deleted) return 'deleted';
  if (disabled) return 'disabled';
  if (paused) return 'paused';
  return on ? 'open' : 'waiting';
}

function secretsOf(found: DestinationRow, keyRing: KeyRing): string[] {
  const ids = { publicId: found.public_id, apiKeyId: found.api_key_id };
  return (['secret_enc', 'old_secret_enc'] as const).flatMap((column) => {
    const sealed = found[column];
    return sealed === null ? [] : [keyRing.decrypt(sealed, webhookSecretContext(column, ids))];
  });
}
