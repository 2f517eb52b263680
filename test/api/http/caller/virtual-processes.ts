import { RateLimiter } from '../../../../api/http/caller/rate-limiter.ts';
import { exchangeEveryMs } from '../../../../api/http/caller/token-bucket.ts';
import type { ExchangedBucket, ReportedRequests } from '../../../../domain/limits/exchange-requests.ts';

/** Requests per second that arrive at each process, in the given millisecond. */
export type Demand = (process: number, now: number) => number;

export interface Scene {
  readonly processes: number;
  readonly perSecond: number;
  readonly burst: number;
  readonly demand: Demand;
  /** Random numbers from 0 to 1 for phases, delays and arrivals. */
  readonly random: () => number;
  /** Process and time of its end. */
  readonly killed?: { readonly process: number; readonly at: number };
  /** Milliseconds from and to which exchanges fail. */
  readonly outage?: readonly [from: number, to: number];
}

/** Time of each admitted request, by process, in ms. */
export type Admitted = readonly (readonly number[])[];

/** The row of a key, as `exchangeRequests` keeps it. */
class Row {
  #level: number | undefined;
  #received = 0;
  #at = 0;

  exchange(
    { tenantId, admitted, received, perSecond, burst }: ReportedRequests,
    now: number,
  ): ExchangedBucket {
    const room = burst + perSecond;
    const filled =
      this.#level === undefined ? room : Math.min(room, this.#level + (perSecond * (now - this.#at)) / 1_000);
    this.#level = Math.max(-room, filled - admitted);
    this.#received += received;
    this.#at = now;
    return { tenantId, level: this.#level, received: this.#received };
  }
}

/** Runs processes that share one key's limit for `ms` milliseconds of virtual time. */
export function run(scene: Scene, ms: number): Admitted {
  const { processes, demand, random, killed, outage = [0, 0] } = scene;
  const limits = { requestsPerSecond: scene.perSecond, burst: scene.burst };
  const row = new Row();
  const members = Array.from({ length: processes }, () => ({
    limiter: new RateLimiter({ perSecond: 0, burst: 0, firstShare: () => 1 / processes }),
    exchangeAt: random() * exchangeEveryMs,
    nextAt: 0,
    admitted: [] as number[],
  }));
  for (let now = 0; now < ms; now += 1) {
    for (const [index, member] of members.entries()) {
      if (killed?.process === index && now >= killed.at) continue;
      const rate = demand(index, now);
      const gap = rate === 0 ? Infinity : 1_000 / rate;
      if (gap === Infinity) member.nextAt = now + 1;
      for (; member.nextAt <= now; member.nextAt += 2 * random() * gap) {
        if (member.limiter.take('1', limits, now).allowed) member.admitted.push(now);
      }
      if (now < member.exchangeAt) continue;
      // The statement takes some time, and the event loop is late.
      member.exchangeAt = now + exchangeEveryMs + random() * 60;
      const reports = member.limiter.report();
      if (now >= outage[0] && now < outage[1]) continue;
      member.limiter.settle(
        reports,
        reports.map((report) => row.exchange(report, now)),
        now,
      );
    }
  }
  return members.map(({ admitted }) => admitted);
}

/** Returns the number of requests in each window of 10 s that begins at or after `from`, in milliseconds. */
export function slidingWindows(admitted: Admitted, from: number, to: number): number[] {
  const length = 10_000;
  const perMs = new Uint32Array(to);
  for (const at of admitted.flat()) perMs[at] = (perMs[at] ?? 0) + 1;
  const sums = [0];
  for (const count of perMs) sums.push((sums.at(-1) ?? 0) + count);
  const windows: number[] = [];
  for (let start = from; start + length <= to; start += 100) {
    windows.push((sums[start + length] ?? 0) - (sums[start] ?? 0));
  }
  return windows;
}
