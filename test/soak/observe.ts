import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './ledger.ts';
import { runLoad, type Pace } from './load.ts';
import type { Outage } from './outage.ts';
import type { SoakReceiver } from './receiver.ts';
import { reportOf } from './report.ts';
import { measuresIn, takeSample, type Sample, type Sampled } from './samples.ts';
import type { SoakTenant } from './tenant.ts';
import { settle, verify } from './verify.ts';

export interface Disturbance {
  readonly ledger: Ledger;
  readonly seed: number;
  /** Duration of the whole run. */
  readonly durationMs: number;
  readonly stop: AbortSignal;
}

/** An installation under load. */
export interface Site {
  readonly tenants: readonly SoakTenant[];
  readonly receiver: SoakReceiver;
  readonly pace: Pace;
  readonly callersPerTenant?: number;
  /** File with the standard output and error of all processes. */
  readonly log: string;
  readonly sampled: () => Promise<Sampled>;
  /** Kills processes or makes faults during the load. Resolves at the latest when the signal aborts. */
  readonly disturb: (disturbance: Disturbance) => Promise<readonly Outage[]>;
  /** A sentence when the measure grew. */
  readonly growthOf: (samples: readonly Sample[], measure: string, durationMs: number) => string | undefined;
  /** Milliseconds in which a process records an event that has arrived. Default: 30 s. */
  readonly recordedWithinMs?: number;
  /** For the report: what ran, and under which load. Called after the run. */
  readonly notes: () => readonly string[];
}

export interface SoakOptions {
  readonly durationMs: number;
  /**
   * Continues the load beyond `durationMs` until each fault was made, for up to so many milliseconds in all. Default: ends
   * it at `durationMs`, whichever faults were made.
   */
  readonly faultsWithinMs?: number;
  readonly seed: number;
  /** Folder of the report and the log. */
  readonly folder: string;
  /** Ends the load early. */
  readonly stopping: AbortSignal;
  readonly show: (line: string) => void;
}

export interface SoakResult {
  readonly ledger: Ledger;
  readonly outages: readonly Outage[];
  /** Path of the report. */
  readonly report: string;
}

/** Number of samples of a run. A short run takes one every 5 s. */
const sampleCount = 480;
const minSampleMs = 5_000;
const defaultRecordedWithinMs = 30_000;

/** Runs load and disturbance, verifies the guarantees and writes the report. */
export async function observe(site: Site, options: SoakOptions): Promise<SoakResult> {
  const { tenants, receiver, pace, callersPerTenant, recordedWithinMs = defaultRecordedWithinMs } = site;
  const { durationMs, seed, folder, show } = options;
  const ledger = new Ledger();
  const began = new Date();
  const faulted = new AbortController();
  const stop = endOf(options, faulted.signal);
  show(`Load until ${new Date(began.getTime() + durationMs).toISOString()}, seed ${String(seed)} …`);
  const [samples, outages] = await Promise.all([
    sampleUntil(stop, site, began.getTime(), durationMs),
    site.disturb({ ledger, seed, durationMs, stop }).finally(() => faulted.abort()),
    runLoad(tenants, { ledger, seed, stop, pace, callersPerTenant }),
  ]);
  const ranMs = Date.now() - began.getTime();
  show('Load has ended; waiting until nothing is under way …');
  await settle(async () => (await site.sampled()).databaseUrl, ledger);
  await verify(tenants, receiver, ledger, { outages, recordedWithinMs });
  // A load that waits for faults is no longer steady.
  const judgedMs = Math.min(ranMs, durationMs);
  const grown = new Set<string>();
  for (const measure of measuresIn(samples)) {
    const growth = site.growthOf(samples, measure, judgedMs);
    if (growth !== undefined) grown.add(measure);
    ledger.check('processes, connections, partitions and queues stay flat', growth === undefined, () =>
      String(growth),
    );
  }
  const received = tenants.map(({ name }) => receiver.of(name));
  const events = {
    received: received.reduce((sum, { sequences }) => sum + sequences.size, 0),
    again: received.reduce((sum, { again }) => sum + again.length, 0),
  };
  const errors = await errorsIn(site.log);
  const report = join(folder, 'report.md');
  const notes = site.notes();
  await writeFile(
    report,
    reportOf({ seed, began, durationMs: ranMs, notes, outages, samples, grown, ledger, events, errors }),
  );
  return { ledger, outages, report };
}

/** Aborts when the load ends. `faulted` aborts when each fault was made. */
function endOf({ durationMs, faultsWithinMs, stopping }: SoakOptions, faulted: AbortSignal): AbortSignal {
  const passed = AbortSignal.timeout(durationMs);
  if (faultsWithinMs === undefined) return AbortSignal.any([stopping, passed]);
  const both = new AbortController();
  const endAfterBoth = (): void => {
    if (passed.aborted && faulted.aborted) both.abort();
  };
  for (const one of [passed, faulted]) one.addEventListener('abort', endAfterBoth);
  return AbortSignal.any([stopping, both.signal, AbortSignal.timeout(faultsWithinMs)]);
}

async function sampleUntil(
  stop: AbortSignal,
  site: Site,
  began: number,
  durationMs: number,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const everyMs = Math.max(minSampleMs, durationMs / sampleCount);
  while (!stop.aborted) {
    samples.push(await takeSample(await site.sampled(), began));
    await pause(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
  return samples;
}

/** Counts log lines of level error by their message. */
async function errorsIn(log: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (!line.startsWith('{')) continue;
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    if (level === 'error' || level === 'fatal') counts.set(String(msg), (counts.get(String(msg)) ?? 0) + 1);
  }
  return counts;
}
