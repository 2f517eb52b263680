import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../../platform/process/error-message.ts';
import type { Ledger } from './ledger.ts';
import type { Outage } from './outage.ts';

/** Something that happens to an installation, and ends. */
export interface Fault {
  /** For the report: `api-1 stopped`. */
  readonly name: string;
  readonly begin: () => void | Promise<void>;
  readonly end: () => void | Promise<void>;
}

export interface FaultOptions {
  readonly ledger: Ledger;
  readonly stop: AbortSignal;
  /** Milliseconds of each fault. */
  readonly faultMs: number;
  /** Milliseconds between a recovery and the next fault. */
  readonly restMs: number;
  /** Milliseconds in which all processes must work again after a fault. */
  readonly recoveredWithinMs: number;
  /** Resolves when all processes work again; throws when they do not in time. */
  readonly whenRecovered: () => Promise<void>;
}

/** Makes one fault after the other, each once, unless the signal aborts. */
export async function makeFaults(
  faults: readonly Fault[],
  { ledger, stop, faultMs, restMs, recoveredWithinMs, whenRecovered }: FaultOptions,
): Promise<readonly Outage[]> {
  const outages: Outage[] = [];
  for (const { name, begin, end } of faults) {
    await pause(restMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return outages;
    const at = Date.now();
    try {
      await begin();
      await pause(faultMs, undefined, { signal: stop }).catch(() => undefined);
    } finally {
      await end();
    }
    const recovery = await whenRecovered().catch(errorMessage);
    ledger.check(
      `after a fault, all processes work again within ${String(recoveredWithinMs / 1_000)} s`,
      recovery === undefined,
      () => `${name}: ${String(recovery)}`,
    );
    outages.push({ what: name, at, downMs: Date.now() - at });
  }
  return outages;
}
