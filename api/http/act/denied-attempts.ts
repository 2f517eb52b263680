import { recordAuditEntries, type AuditedAct } from '../../../domain/audit/record-entries.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { errorMessage } from '../../../platform/process/error-message.ts';
import { networkOf } from '../caller/caller-network.ts';
import { RateLimiter } from '../caller/rate-limiter.ts';

/** Entries per second and burst, of one IPv4 address or IPv6 /64 network, and of this process. */
const perAddress = { perSecond: 0.1, burst: 20 } as const;
const perProcess = { perSecond: 1, burst: 100 } as const;

/** Dependencies of the record of denied attempts. */
export interface DeniedAttemptsOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly onFailure: (reason: string) => void;
}

/**
 * Writes denied calls of audited operations to the audit log, at a limited rate, so that callers cannot fill it. The
 * next entry contains the number of calls without one.
 */
export class DeniedAttempts {
  readonly #options: DeniedAttemptsOptions;
  readonly #addresses = new RateLimiter(perAddress);
  readonly #process = new RateLimiter(perProcess);
  #dropped = 0;

  constructor(options: DeniedAttemptsOptions) {
    this.#options = options;
  }

  /** Does not delay the response, because its duration would reveal whether a key exists. Never throws. */
  record(act: Omit<AuditedAct, 'outcome' | 'targets' | 'dropped'>): void {
    const address = networkOf(act.actor.address ?? '');
    if (!this.#addresses.take(address).allowed || !this.#process.take('').allowed) {
      this.#dropped += 1;
      return;
    }
    const { orm, keyRing, onFailure } = this.#options;
    const dropped = this.#dropped;
    this.#dropped = 0;
    recordAuditEntries(orm.em.fork(), keyRing, { ...act, outcome: 'denied', targets: null, dropped }).then(
      (entries) => {
        if (entries === 0) this.#dropped += dropped;
      },
      (error: unknown) => {
        this.#dropped += dropped + 1;
        onFailure(errorMessage(error));
      },
    );
  }
}
