import { deliverDue } from '../../../domain/webhooks/delivery/delivery-turn.ts';
import { PayloadRoom } from '../../../domain/webhooks/delivery/payload-room.ts';
import { fanOut } from '../../../domain/webhooks/delivery/fan-out.ts';
import type { TurnEnd } from '../../../domain/webhooks/delivery/end-or-continue.ts';
import type { WebhookProvider } from '../../../domain/webhooks/provider.ts';
import type { NewEvent } from '../../../domain/events/record-events.ts';
import { inTransaction, type Orm } from '../../../platform/database/orm.ts';
import { openOutbound } from '../../../platform/outbound/outbound-connections.ts';
import type { TestApi } from '../../support/api.ts';
import type { TestTenant } from '../../support/factories.ts';
import { happened } from '../../support/webhooks.ts';

/** Delays before each attempt in milliseconds. */
export const schedule = [0, 5_000, 300_000];

export interface Turning {
  readonly share?: number;
  readonly signal?: AbortSignal;
  /** Opens the transactions instead of the API's. */
  readonly orm?: Orm;
  /** The configured provider; default Steward itself. */
  readonly webhooks?: WebhookProvider;
}

export interface StoredMessage {
  readonly status: number;
  readonly status_reason: string | null;
  readonly attempts: number;
  readonly step: number;
  readonly resends: number;
  /** Seconds until the next attempt; null without one. */
  readonly due_in: number | null;
}

export interface StoredAttempt {
  readonly no: number;
  readonly trigger: number;
  readonly status: number;
  readonly http_status: number | null;
  readonly error: string | null;
  readonly response: string;
}

/** Runs delivery turns without a worker. */
export function turnsOf(api: TestApi) {
  const outbound = openOutbound({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  const payloads = new PayloadRoom();
  const unexpectedErrors: unknown[] = [];
  const epochs: string[] = [];
  const { database } = api;
  return {
    unexpectedErrors,
    /** Those that turns have begun. */
    epochs,
    payloads,
    close: async () => outbound.close(),

    /** Runs turns until nothing is due, or a single turn with a `signal`. */
    turn: async (
      tenant: TestTenant,
      endpointId: string,
      { share = 50, signal, orm = api.orm, webhooks = { name: 'embedded' } }: Turning = {},
    ): Promise<TurnEnd> => {
      for (;;) {
        const { nextIn } = await deliverDue(
          {
            orm,
            keyRing: api.keyRing,
            attemptContext: {
              outbound,
              webhooks,
              onUnexpectedError: (error) => unexpectedErrors.push(error),
            },
            retryDelaysMs: schedule,
            share: () => share,
            payloads,
            signal: signal ?? new AbortController().signal,
            onRestore: (epoch) => epochs.push(epoch),
          },
          { tenantId: tenant.id, endpointId },
        );
        if (nextIn !== 0 || signal !== undefined) return { nextIn };
      }
    },

    /** Records events and fans them out. */
    queued: async (tenant: TestTenant, events: number | readonly Partial<NewEvent>[] = 1): Promise<void> => {
      await happened(
        api,
        tenant,
        typeof events === 'number' ? Array.from({ length: events }, () => ({})) : events,
      );
      await inTransaction(api.orm, async (em) =>
        fanOut(em, {
          tenantId: tenant.id,
          batchSize: 5_000,
          maxMessages: 5_000,
          kinds: [0, 1, 2],
          firstWaitMs: 0,
        }),
      );
    },

    messages: async (tenant: TestTenant): Promise<StoredMessage[]> =>
      database.sql<StoredMessage>(
        `select status, status_reason, attempts, step, resends, extract(epoch from next_at - now())::float8 as due_in
         from delivery where api_key_id = $1 order by endpoint_id, sequence`,
        [tenant.id],
      ),

    attempts: async (tenant: TestTenant): Promise<StoredAttempt[]> =>
      database.sql<StoredAttempt>(
        `select no, trigger, status, http_status, error, response from attempt where api_key_id = $1
         order by endpoint_id, event_id, no`,
        [tenant.id],
      ),

    /** Moves due times and claims into the past. */
    later: async (tenant: TestTenant, interval: string): Promise<void> => {
      await database.sql(
        `update delivery set next_at = next_at - $2::interval, retry_at = retry_at - $2::interval,
           claimed_until = claimed_until - $2::interval where api_key_id = $1 and status = 0`,
        [tenant.id, interval],
      );
    },
  };
}
