import type { Next } from 'koa';
import { LRUCache } from 'lru-cache';
import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import type { Gateway } from '../http/application.ts';
import { actorOf } from '../http/caller/actor.ts';
import type {
  Operation,
  RequestContext,
  RequestMiddleware,
  ValidatedState,
} from '../http/middleware/state.ts';

/**
 * Repeated reads of an operation in a session share one audit entry for `ttl` milliseconds; remembers at most `max`.
 */
const repeatedReads = { ttl: 600_000, max: 10_000 } as const;

/** Writes an audit entry for the calls of an operator for an API key, before they run. */
export class OperatorActs {
  readonly #gateway: Pick<Gateway, 'orm' | 'keyRing'>;
  readonly #reads: LRUCache<string, true>;

  /** `clock` returns milliseconds. */
  constructor(gateway: Pick<Gateway, 'orm' | 'keyRing'>, clock: { now(): number } = performance) {
    this.#gateway = gateway;
    this.#reads = new LRUCache({ ...repeatedReads, perf: clock, ttlResolution: 0 });
  }

  /** The middleware of an operation. Records each write, and each read operation once per session and 10 minutes. */
  of({ endpoint, path }: Operation): RequestMiddleware<ValidatedState> {
    return async (context: RequestContext<ValidatedState>, next: Next): Promise<void> => {
      const { session, call } = context.state;
      if (session?.kind === 'operator' && 'tenant' in call) {
        const { keyId } = call.tenant;
        const read = endpoint.mutates ? undefined : `${session.id} ${keyId} ${path}`;
        if (read === undefined || !this.#reads.has(read)) {
          await this.#record(context, keyId, path);
          // Only a recorded read begins a period: reads within it must not extend it.
          if (read !== undefined) this.#reads.set(read, true);
        }
      }
      await next();
    };
  }

  async #record(context: RequestContext, keyId: string, operation: string): Promise<void> {
    const { orm, keyRing } = this.#gateway;
    await recordAuditEntries(orm.em.fork(), keyRing, {
      actor: actorOf(context, 'operator'),
      action: 'key.act_for',
      outcome: 'succeeded',
      targets: [keyId],
      keyId,
      values: { before: null, after: { operation } },
    });
  }
}
