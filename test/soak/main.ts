import { randomInt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { aiProviders } from '../support/ai-providers.ts';
import { killAtRandom, type Kill } from './kills.ts';
import { Ledger } from './ledger.ts';
import { runLoad } from './load.ts';
import { startReceiver, type SoakReceiver } from './receiver.ts';
import { reportOf } from './report.ts';
import { growthOf, measures, takeSample, type Measure, type Sample } from './samples.ts';
import { startSteward, type SoakedSteward } from './steward.ts';
import { makeTenants, type SoakTenant } from './tenant.ts';
import { soakRestore } from './restore.ts';
import { settle, verify } from './verify.ts';

/**
 * `npm run soak -- [--hours N | --minutes N] [--kills off] [--seed N] [--folder <folder>]`: runs `npm start` under
 * mixed load and kills, then verifies its guarantees and writes a report in Markdown. With `--restore N`, restores a
 * backup with N open jobs and N endpoints instead. Exit codes: 0 no violations, 1 violations, 2 the run could not
 * start.
 */
const tenantNames = ['first', 'second', 'third'] as const;
/** Number of samples of a run. A short run takes one every 5 s. */
const sampleCount = 480;
const minSampleMs = 5_000;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
// The report's path goes to standard output, progress to standard error.
const show = (line: string): void => console.error(line);

interface SoakOptions {
  readonly durationMs: number;
  readonly killing: boolean;
  readonly seed: number;
  /** Number of jobs and of endpoints of a restore drill, which replaces load and kills. */
  readonly restore: number | undefined;
  /** Folder for the report and the log. */
  readonly folder: string;
}

try {
  const options = readArguments();
  await mkdir(options.folder, { recursive: true });
  const { restore } = options;
  const violations = restore === undefined ? await soak(options) : await soakRestore(restore, options.folder);
  process.exitCode = violations > 0 ? 1 : 0;
} catch (error) {
  show(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function readArguments(): SoakOptions {
  const { values } = parseArgs({
    options: {
      hours: { type: 'string' },
      minutes: { type: 'string' },
      kills: { type: 'string', default: 'on' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      restore: { type: 'string' },
      folder: { type: 'string', default: '.data/soak' },
    },
  });
  const minutes = values.minutes === undefined ? Number(values.hours ?? 2) * 60 : Number(values.minutes);
  const seed = Number(values.seed);
  const restore = values.restore === undefined ? undefined : Number(values.restore);
  const known =
    (values.kills === 'on' || values.kills === 'off') &&
    (restore === undefined || (Number.isSafeInteger(restore) && restore > 0));
  if (!(minutes > 0 && minutes <= 10_000) || !Number.isSafeInteger(seed) || !known) {
    throw new Error(
      'npm run soak -- [--hours N | --minutes N | --restore N] [--kills off] [--seed N] [--folder <folder>]',
    );
  }
  const folder = join(resolve(values.folder), new Date().toISOString().replaceAll(':', '-'));
  return { durationMs: minutes * 60_000, killing: values.kills === 'on', seed, restore, folder };
}

/** Runs the soak. Resolves with the number of violations. */
async function soak(options: SoakOptions): Promise<number> {
  const [receiver, providers] = await Promise.all([startReceiver(), aiProviders()]);
  show('Starting Steward …');
  const steward = await startSteward(options.folder, {
    ...providers.environment,
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    STEWARD_RATE_LIMIT: '0',
    STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,5s,10s,30s,60s,60s,60s,60s',
  });
  try {
    const tenants = await makeTenants(await steward.current(), receiver, tenantNames);
    return await observe(options, { steward, receiver, tenants });
  } finally {
    show('Stopping Steward …');
    await steward.stop();
    await Promise.all([receiver.close(), providers.close()]);
  }
}

interface Site {
  readonly steward: SoakedSteward;
  readonly receiver: SoakReceiver;
  readonly tenants: readonly SoakTenant[];
}

async function observe({ durationMs, killing, seed, folder }: SoakOptions, site: Site): Promise<number> {
  const { steward, receiver, tenants } = site;
  const ledger = new Ledger();
  const began = new Date();
  const stop = AbortSignal.any([stopping.signal, AbortSignal.timeout(durationMs)]);
  show(`Load until ${new Date(began.getTime() + durationMs).toISOString()}, seed ${String(seed)} …`);
  const noKills: readonly Kill[] = [];
  const [samples, kills] = await Promise.all([
    sampleUntil(stop, steward, began.getTime(), durationMs),
    killing ? killAtRandom(steward, { ledger, seed, durationMs, stop }) : noKills,
    runLoad(tenants, ledger, seed, stop),
  ]);
  const ranMs = Date.now() - began.getTime();
  show('Load has ended; waiting until nothing is under way …');
  await settle(steward, ledger);
  await verify(tenants, receiver, ledger, kills);
  for (const measure of Object.keys(measures) as Measure[]) {
    const growth = growthOf(samples, measure, ranMs);
    ledger.check('processes, connections, partitions and queues stay flat', growth === undefined, () =>
      String(growth),
    );
  }
  const received = tenants.map(({ name }) => receiver.of(name));
  const events = {
    received: received.reduce((sum, { records }) => sum + records.size, 0),
    again: received.reduce((sum, { again }) => sum + again.length, 0),
  };
  const errors = await errorsIn(steward.log);
  const path = join(folder, 'report.md');
  await writeFile(
    path,
    reportOf({ seed, began, durationMs: ranMs, kills, killing, samples, ledger, events, errors }),
  );
  console.log(`${String(ledger.violationCount)} violations; report: ${path}`);
  return ledger.violationCount;
}

async function sampleUntil(
  stop: AbortSignal,
  steward: SoakedSteward,
  began: number,
  durationMs: number,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const everyMs = Math.max(minSampleMs, durationMs / sampleCount);
  while (!stop.aborted) {
    samples.push(await takeSample(steward, began));
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
