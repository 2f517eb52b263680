import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../platform/process/error-message.ts';
import { variables } from '../platform/config/variables.ts';
import { StartFailure } from '../local/start-failure.ts';
import { runChecks } from './run/checks.ts';
import { fillCompileCache } from './run/compile-cache.ts';
import { longSelection } from './run/long-selection.ts';
import { runJest } from './run/jest.ts';
import { endLeftBehind, marker } from './run/left-behind.ts';
import { startServers } from './run/servers.ts';
import { nothing, oneFailed, sum } from './run/tally.ts';
import type { Tally } from './run/tally.ts';

/**
 * `npm test`: runs the checks, starts servers, and runs Jest. Arguments go to Jest and skip the checks; `--long` is the
 * selection of `npm run test:long`.
 */

/** Milliseconds after which a hanging run is ended: far above the duration of a run on a slow machine. */
const limitMs = (process.env['STEWARD_LONG_TESTS'] === 'on' ? 600 : 60) * 60_000;

const argumentList = process.argv
  .slice(2)
  .flatMap((argument) => (argument === '--long' ? longSelection : [argument]));
const stopping = new AbortController();
const show = (line: string) => console.error(line);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(new Error(`The tests were stopped by ${signal}.`)));
}
const limit = setTimeout(() => {
  stopping.abort(new Error(`The tests did not end within ${limitMs / 60_000} minutes.`));
}, limitMs);

const folder = await mkdtemp(join(tmpdir(), 'steward-test-'));
const run = basename(folder);
const watchdog = spawn(
  process.execPath,
  [fileURLToPath(new URL('run/watchdog.ts', import.meta.url)), run, folder],
  { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
);
process.env[marker] = run;

const tally = sum(await runAll());
clearTimeout(limit);
watchdog.kill('SIGKILL');
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed > 0 ? 1 : 0);

/** Run the checks beside the tests, which leave cores idle while they wait. */
async function runAll(): Promise<readonly Tally[]> {
  const checks = argumentList.length > 0 ? nothing : runChecks(stopping.signal, show);
  const ended = await Promise.allSettled([checks, runTests()]);
  const tallies = ended.map((one) => {
    if (one.status === 'fulfilled') return one.value;
    const expected = one.reason instanceof StartFailure || stopping.signal.aborted;
    show(expected ? errorMessage(one.reason) : String(one.reason));
    return oneFailed;
  });
  return [...tallies, await cleanUp()];
}

async function runTests(): Promise<Tally> {
  const compiling = fillCompileCache(folder, stopping.signal);
  // Awaited below, where the servers are stopped whatever it returns.
  compiling.catch(() => undefined);
  const servers = await startServers(folder, stopping.signal, show);
  try {
    const compiled = await compiling;
    stopping.signal.throwIfAborted();
    const environment = environmentOf({ ...servers.environment, ...compiled });
    const tally = await runJest(folder, argumentList, environment, stopping.signal);
    if (stopping.signal.aborted) show(errorMessage(stopping.signal.reason));
    return tally;
  } finally {
    await servers.stop();
  }
}

/** A developer's settings for `npm start` must not affect the tests. */
function environmentOf(servers: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !Object.hasOwn(variables, name));
  return { ...Object.fromEntries(own), ...servers, TMPDIR: folder };
}

/**
 * Fails the run when tests leave processes behind. Not with `-t`: files may then start processes without running a
 * test, and Jest skips their `afterAll`.
 */
async function cleanUp(): Promise<Tally> {
  const left = await endLeftBehind(run);
  await rm(folder, { recursive: true, force: true });
  if (argumentList.includes('-t') || stopping.signal.aborted) return nothing;
  for (const commandLine of left) show(`Left behind by a test: ${commandLine}`);
  return left.length > 0 ? oneFailed : nothing;
}
