import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../platform/process/error-message.ts';
import { run, type Outcome, type Request } from './run.ts';
import { obtainSchemathesis, type Schemathesis } from './schemathesis.ts';
import { startSite } from './site.ts';

/**
 * `npm run fuzz [-- --cases N] [-- --minutes N] [-- --seed N]`: generates requests from /openapi.json with
 * schemathesis and sends them to a temporary Steward: cases that cover each schema, then N random ones. No response
 * may be a 5xx, have an undocumented status or type, or violate its schema. Exit codes: 0 no failures, 1 failures, 2
 * the run could not start or was canceled.
 */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(new Error('The fuzz run was canceled.')));
}
// Failures go to standard output, progress to standard error.
const show = (line: string): void => console.error(line);

try {
  const request = readArguments();
  const schemathesis = await obtainSchemathesis({ show, signal: stopping.signal });
  process.exitCode = (await inFolder((folder) => fuzz(request, schemathesis, folder))) ? 1 : 0;
} catch (error) {
  show(errorMessage(error));
  process.exitCode = 2;
}

function readArguments(): Request {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '10000' },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
    },
  });
  const [cases, minutes] = [Number(values.cases), Number(values.minutes)];
  if (!(Number.isSafeInteger(cases) && cases > 0 && minutes > 0 && minutes <= 10_000)) {
    throw new Error(
      'npm run fuzz -- [--cases <1 or more>] [--minutes <above 0>] [--seed <of an earlier run>]',
    );
  }
  return { cases, minutes, seed: values.seed };
}

/** Runs `act` in a temporary folder. The folder is kept only when `act` finds a failure or throws. */
async function inFolder(act: (folder: string) => Promise<boolean>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-fuzz-'));
  let keep = true;
  try {
    keep = await act(folder);
    return keep;
  } finally {
    if (keep && !stopping.signal.aborted) show(`The API's log and the report are kept in ${folder}.`);
    else await rm(folder, { recursive: true, force: true });
  }
}

/** Returns whether the run found a failure. */
async function fuzz(request: Request, schemathesis: Schemathesis, folder: string): Promise<boolean> {
  const { signal } = stopping;
  show('Starting a temporary Steward …');
  const site = await startSite({ folder, show, signal });
  try {
    const outcome = await run(site, schemathesis, { request, folder, signal });
    const bugs = await bugsIn(site.log);
    for (const bug of bugs) console.log(bug);
    console.log(summary(outcome, bugs.length));
    return outcome.failures > 0 || bugs.length > 0;
  } finally {
    await site.stop();
  }
}

/** Returns the errors of the API's log: a caller does not see each failure, for instance that of a truncated response. */
async function bugsIn(log: string): Promise<string[]> {
  const lines = (await readFile(log, 'utf8')).split('\n');
  return lines.filter((line) => /^\{"level":"(?:error|fatal)"/.test(line));
}

function summary({ cases, operations, failures, timeIsOver }: Outcome, bugs: number): string {
  const over = timeIsOver ? ' when the time limit ended the run' : '';
  return `${String(cases)} cases against ${String(operations)} operations${over}: ${String(failures)} failures, ${String(bugs)} errors in the log.`;
}
