import { withConnectionsOfAll } from '../../platform/database/connection-shares.ts';
import { hourMs } from '../../platform/units.ts';
import type { Announcement } from '../../platform/database/orm.ts';
import { errorMessage } from '../../platform/process/error-message.ts';
import { UsageAnnounced, usageCounters, type UsageCounter, type UsageCounts } from '../tenancy/usage.ts';
import type { CountedUsage } from './add-usage.ts';

export interface UsageMeterOptions {
  /** Stores counts. If it fails, they are kept and written with later ones. */
  readonly write: (usage: readonly CountedUsage[]) => Promise<void>;
  /** Called for the first failure after a success. */
  readonly onFailure: (failure: { readonly reason: string }) => void;
  /** Called when writes succeed again after counts were lost because memory was full, with their number. */
  readonly onDropped: (dropped: { readonly counts: number }) => void;
  /** Max milliseconds from a count to its write. */
  readonly writeWithinMs?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Number of keys that starts a write at once, and max keys in memory while writes fail. */
const maxKeys = { waiting: 1_000, kept: 10_000 } as const;

type Counts = Record<UsageCounter, number>;

const zero = Object.fromEntries(usageCounters.map((counter) => [counter, 0])) as Counts;

/**
 * Counts usage in the memory of this process and writes it every 4 s, so that no request sends a statement for it. A
 * crash loses the counts since the last write. A write that fails after its commit counts twice.
 */
export class UsageMeter {
  readonly #options: UsageMeterOptions;
  readonly #now: () => number;
  /** By hour and key. */
  #counted = new Map<string, CountedUsage & { readonly counts: Counts }>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  /** A write that will start after the running one. */
  #next: Promise<void> | undefined;
  #failing = false;
  #dropped = 0;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Counts the usage that committed transactions announce. */
  readonly onAnnounced = (announcement: Announcement): void => {
    if (announcement instanceof UsageAnnounced) this.count(announcement.tenantId, announcement.counts);
  };

  /** Adds to the counters of a key in the current hour. `tenantId`: its surrogate key. */
  count(tenantId: string, counts: UsageCounts): void {
    const now = this.#now();
    this.#add(tenantId, now - (now % hourMs), counts);
    if (this.#counted.size >= maxKeys.waiting && !this.#failing) void this.write();
    else this.#writeSoon();
  }

  /**
   * Writes all counts, after a write that is running. Never throws. The statement is of all keys, so it does not wait
   * for connections of the key whose call caused it.
   */
  async write(): Promise<void> {
    this.#next ??= withConnectionsOfAll(async () =>
      this.#running.then(async () => {
        this.#next = undefined;
        await this.#writeCounted();
      }),
    );
    this.#running = this.#next;
    return this.#next;
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.write(), this.#options.writeWithinMs ?? 4_000).unref();
  }

  async #writeCounted(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const taken = [...this.#counted.values()];
    if (taken.length === 0) return;
    this.#counted = new Map();
    try {
      await this.#options.write(taken);
      this.#failing = false;
      if (this.#dropped > 0) this.#options.onDropped({ counts: this.#dropped });
      this.#dropped = 0;
    } catch (error) {
      for (const { tenantId, startsAt, counts } of taken) this.#add(tenantId, startsAt, counts);
      if (!this.#failing) this.#options.onFailure({ reason: errorMessage(error) });
      this.#failing = true;
      this.#writeSoon();
    }
  }

  #add(tenantId: string, startsAt: number, added: UsageCounts): void {
    const counts = this.#countsOf(tenantId, startsAt);
    if (counts === undefined) this.#dropped += 1;
    else for (const [counter, count] of Object.entries(added)) counts[counter as UsageCounter] += count;
  }

  /** Returns undefined when the max number of keys is reached. */
  #countsOf(tenantId: string, startsAt: number): Counts | undefined {
    const key = `${String(startsAt)} ${tenantId}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return known.counts;
    if (this.#counted.size >= maxKeys.kept) return undefined;
    const counts = { ...zero };
    this.#counted.set(key, { tenantId, startsAt, counts });
    return counts;
  }
}
