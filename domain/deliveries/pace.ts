import { LRUCache } from 'lru-cache';
import { maxClaimed } from './claim-deliveries.ts';
import type { Lane } from './write-deliveries.ts';

/** Keys whose pace is remembered. */
const maxLanes = 10_000;

/** Spreads the e-mails of each key over time. Pace delays and never drops. */
export class Pace {
  readonly #perSecond: number;
  /** When the next may leave, by `performance.now()`. */
  readonly #next = new LRUCache<string, number>({ max: maxLanes });

  /** `perSecond`: e-mails of one key; 0 is off. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Number of deliveries that may be claimed now. */
  allowed(lane: Lane): number {
    if (this.waitMs(lane) > 0) return 0;
    return this.#isOff(lane) ? maxClaimed : Math.max(1, Math.min(maxClaimed, this.#perSecond));
  }

  took(lane: Lane, count: number): void {
    if (this.#isOff(lane)) return;
    const key = keyOf(lane);
    const from = Math.max(this.#next.get(key) ?? 0, performance.now());
    this.#next.set(key, from + (count * 1_000) / this.#perSecond);
  }

  waitMs(lane: Lane): number {
    return Math.max(0, (this.#next.get(keyOf(lane)) ?? 0) - performance.now());
  }

  #isOff({ channel }: Lane): boolean {
    return this.#perSecond === 0 || channel !== 'email';
  }
}

const keyOf = ({ tenantId, channel }: Lane): string => `${tenantId} ${channel}`;
