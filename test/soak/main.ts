import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../platform/process/error-message.ts';
import { soakCluster } from './cluster.ts';
import { soakNpmStart } from './npm-start.ts';
import type { SoakOptions, SoakResult } from './observe.ts';
import { soakRestore } from './restore.ts';

/**
 * `npm run soak -- [--hours N | --minutes N] [--kills off] [--seed N] [--folder <folder>]`: runs `npm start` under
 * mixed load and kills, then verifies its guarantees and writes a report in Markdown. With `--cluster`, runs the cluster
 * under half the load that it bears, with faults. With `--restore N`, restores a backup with N open jobs and N
 * endpoints. Exit codes: 0 no violations, 1 violations, 2 the run could not start.
 */
const usage =
  'npm run soak -- [--cluster] [--hours N | --minutes N | --restore N] [--kills off] [--seed N] [--folder <folder>]';
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
// The report's path goes to standard output, progress to standard error.
const show = (line: string): void => console.error(line);

interface Arguments extends SoakOptions {
  readonly cluster: boolean;
  readonly killing: boolean;
  /** Number of jobs and of endpoints of a restore drill, which replaces load and kills. */
  readonly restore: number | undefined;
}

try {
  const given = readArguments();
  await mkdir(given.folder, { recursive: true });
  process.exitCode = (await violationsOf(given)) > 0 ? 1 : 0;
} catch (error) {
  show(errorMessage(error));
  process.exitCode = 2;
}

async function violationsOf(given: Arguments): Promise<number> {
  if (given.restore !== undefined) return await soakRestore(given.restore, given.folder);
  const { ledger, report }: SoakResult = await (given.cluster ? soakCluster(given) : soakNpmStart(given));
  console.log(`${String(ledger.violationCount)} violations; report: ${report}`);
  return ledger.violationCount;
}

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      cluster: { type: 'boolean', default: false },
      hours: { type: 'string' },
      minutes: { type: 'string' },
      kills: { type: 'string', default: 'on' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      restore: { type: 'string' },
      folder: { type: 'string', default: '.data/soak' },
    },
  });
  const { cluster } = values;
  const defaultMinutes = cluster ? 30 : 120;
  const hours = values.hours === undefined ? undefined : Number(values.hours) * 60;
  const minutes = values.minutes === undefined ? (hours ?? defaultMinutes) : Number(values.minutes);
  const seed = Number(values.seed);
  const restore = values.restore === undefined ? undefined : Number(values.restore);
  const known =
    (values.kills === 'on' || values.kills === 'off') &&
    (restore === undefined || (Number.isSafeInteger(restore) && restore > 0));
  if (!(minutes > 0 && minutes <= 10_000) || !Number.isSafeInteger(seed) || !known) throw new Error(usage);
  const folder = join(resolve(values.folder), new Date().toISOString().replaceAll(':', '-'));
  return {
    durationMs: minutes * 60_000,
    cluster,
    killing: values.kills === 'on',
    seed,
    restore,
    folder,
    stopping: stopping.signal,
    show,
  };
}
