import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { errorMessage } from '../platform/process/error-message.ts';
import { playAttacks } from './attacks.ts';
import { attackByBodies } from './bodies.ts';
import { measureClient } from './client.ts';
import { consoleBenches } from './console/benches.ts';
import { consoleSizes, sizeNames, type ConsoleSizes } from './console/sizes.ts';
import { countAnnotations } from './comments/counts.ts';
import { deleteComments } from './comments/deletion.ts';
import { flipComments } from './comments/flip.ts';
import { readAnnotations } from './comments/pages.ts';
import { writeComments } from './comments/writes.ts';
import { readCrdt } from './crdt.ts';
import { acceptDeletions } from './deletions/accepting.ts';
import { deleteData } from './deletions/delete-data.ts';
import type { Figure } from './figure.ts';
import { watchMemory } from './memory.ts';
import { measureMetrics } from './metrics.ts';
import { measureMigrations, moveMany } from './migrations.ts';
import { organizationComparisons } from './organizations.ts';
import { notificationComparisons } from './notifications/add.ts';
import { notificationBenches } from './notifications/benches.ts';
import { writeThroughManyProcesses } from './one-key-many-processes.ts';
import { checkPermissions } from './permissions/check.ts';
import { readActivityLogs, readNotifications } from './records.ts';
import { askAi } from './rewriter.ts';
import type { Bench, Run } from './run.ts';
import { comparing } from './comparison.ts';
import { startSite, type Site } from './site.ts';
import { measureStarts } from './starts.ts';
import { streamOrganizations } from './streaming.ts';
import { amount, markdownTable } from './table.ts';
import { webhookBenches } from './webhooks/benches.ts';
import { compareThroughput } from './throughput-with-metrics.ts';
import { activityComparisons, documentComparisons } from './writes.ts';

const usage = `npm run bench -- [--quick] [--json] [--peers] [--metrics] [--profile <folder>] [${sizeNames
  .map((name) => `--${name} N`)
  .join('] [')}] [name …]`;

/**
 * Compares Steward with floors on the same servers and prints a table. With `--metrics`, API and worker serve metrics
 * and are scraped; `--profile` writes CPU profiles of both to the folder. A name selects one bench, or all that begin
 * with it: `console` for each `console-…`. The numbers are the rows that console benches load.
 */
const benches: Readonly<Record<string, Bench>> = {
  migrations: measureMigrations,
  'organizations-get': comparing(organizationComparisons),
  'documents-add': comparing(documentComparisons),
  'activities-add': comparing(activityComparisons),
  'one-key-many-processes': writeThroughManyProcesses,
  'permissions-check': checkPermissions,
  'activities-get': readActivityLogs,
  'notifications-get': readNotifications,
  'notifications-add': comparing(notificationComparisons),
  'organizations-stream': streamOrganizations,
  'crdt-get': readCrdt,
  'comments-add': writeComments,
  'commentannotations-get': readAnnotations,
  'commentannotations-count': countAnnotations,
  'comments-migration': flipComments,
  'comments-deletion': deleteComments,
  deletions: deleteData,
  'deletions-accepted': acceptDeletions,
  'ask-ai': askAi,
  metrics: measureMetrics,
  'throughput-with-metrics': compareThroughput,
  client: measureClient,
  attacks: playAttacks,
  'attack-by-bodies': attackByBodies,
  ...webhookBenches,
  ...notificationBenches,
  ...consoleBenches,
};
const names = [...Object.keys(benches), 'starts'];

const rounds = {
  full: { number: 5, seconds: 2 },
  quick: { number: 3, seconds: 0.7 },
} as const;

const legend =
  'Medians; a ratio is the median of the ratios of neighboring rounds. CPU is that of the server and of its connections’ ' +
  'processes in PostgreSQL. Load generator, servers and PostgreSQL (durable) share the machine; the API logs at level info.';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(new Error('The benchmark was canceled.')));
}
// Figures go to standard output, progress to standard error.
const show = (line: string): void => console.error(line);

try {
  const request = readArguments();
  if (request === undefined) {
    show(`${usage}; names: ${names.join(', ')}.`);
    process.exitCode = 2;
  } else {
    const began = performance.now();
    const figures = await measure(request);
    console.log(request.json ? JSON.stringify(figures, null, 2) : `${markdownTable(figures)}\n\n${legend}`);
    show(`${((performance.now() - began) / 1_000).toFixed(0)} s on ${machine()}.`);
  }
} catch (error) {
  show(errorMessage(error));
  process.exitCode = 1;
}

interface Request {
  readonly quick: boolean;
  readonly json: boolean;
  readonly peers: boolean;
  readonly metrics: boolean;
  readonly profile?: string | undefined;
  readonly wanted: ReadonlySet<string>;
  readonly sizes: ConsoleSizes;
}

/** Returns undefined for invalid arguments. */
function readArguments(): Request | undefined {
  const rows = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        metrics: { type: 'boolean', default: false },
        profile: { type: 'string' },
        organizations: rows,
        documents: rows,
        users: rows,
        messages: rows,
        jobs: rows,
      },
      allowPositionals: true,
    });
    const named = positionals.map((word) =>
      names.filter((name) => name === word || name.startsWith(`${word}-`)),
    );
    const sizes = withSizes(values.quick ? consoleSizes.quick : consoleSizes.full, values);
    if (named.some((found) => found.length === 0) || sizes === undefined) return undefined;
    return { ...values, sizes, wanted: new Set(positionals.length === 0 ? names : named.flat()) };
  } catch {
    return undefined;
  }
}

/** Returns undefined when a number of rows is invalid. */
function withSizes(
  usual: ConsoleSizes,
  wanted: Readonly<Partial<Record<keyof ConsoleSizes, string>>>,
): ConsoleSizes | undefined {
  const sizes = { ...usual };
  for (const name of sizeNames) {
    const rows = wanted[name] === undefined ? sizes[name] : Number(wanted[name]);
    if (!Number.isSafeInteger(rows) || rows < 100) return undefined;
    sizes[name] = rows;
  }
  return sizes;
}

async function measure({ wanted, quick, peers, metrics, profile, sizes }: Request): Promise<Figure[]> {
  const { signal } = stopping;
  const starts: Figure[] = [];
  if (wanted.has('starts')) {
    show('Starting and stopping npm start …');
    starts.push(...(await measureStarts(quick ? 1 : 3, signal)));
  }
  if (wanted.size === 1 && wanted.has('starts')) return starts;
  show('Starting servers …');
  const site = await startSite({ show, signal, profile, metrics });
  signal.addEventListener('abort', () => void cancelStatements(site), { once: true });
  try {
    const run = { quick, peers, sizes, rounds: quick ? rounds.quick : rounds.full, show, signal };
    return [...(await measureSite(site, wanted, run)), ...starts];
  } finally {
    await site.stop();
  }
}

/** Cancels running statements: loading millions of rows would delay a canceled benchmark for minutes. */
async function cancelStatements({ sql }: Site): Promise<void> {
  const others = `select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'bench' and pid <> pg_backend_pid()`;
  await sql.query(others).catch(() => undefined);
}

async function measureSite(site: Site, wanted: ReadonlySet<string>, run: Run): Promise<Figure[]> {
  const figures: Figure[] = [];
  const memory = watchMemory(site);
  // Run one job first, so that the idle processes have loaded all of their code.
  await moveMany(site, 1);
  memory.idle();
  for (const [name, bench] of Object.entries(benches)) {
    if (!wanted.has(name)) continue;
    const found = await bench(site, run);
    // Print at once: a later bench may fail.
    for (const figure of found) run.show(`${figure.name}: ${amount(figure.steward, figure.unit)}`);
    figures.push(...found);
  }
  return [...figures, ...memory.stop()];
}

function machine(): string {
  const cores = cpus();
  return `${String(cores.length)} cores (${cores[0]?.model ?? 'unknown'}), Node ${process.versions.node}`;
}
