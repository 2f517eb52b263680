import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../local/start-failure.ts';
import { run, type Outcome, type Request } from './run.ts';
import { obtainSchemathesis, type Schemathesis } from './schemathesis.ts';
import { startSite } from './site.ts';

/**
 * `npm run fuzz [-- --cases N] [-- --minutes N] [-- --seed N]`: sends a throw-away Steward what schemathesis makes of
 * /openapi.json: cases that cover each schema, then N at random. No response may be a 5xx, be of a status or type that is
 * not documented, or break its schema.
 * Exit codes: 0 nothing was found, 1 something was, 2 it could not be tried.
 */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(new Error('The fuzz run was called off.')));
}
// What is found goes to standard output; what is being done, to standard error.
const show = (line: string): void => console.error(line);

try {
  const request = readArguments();
  const schemathesis = await obtainSchemathesis({ show, signal: stopping.signal });
  process.exitCode = (await inFolder((folder) => fuzz(request, schemathesis, folder))) ? 1 : 0;
} catch (error) {
  show(messageOf(error));
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

/** Gives a folder to work in; it is kept only for what is found in it, or fails. */
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

/** Says whether anything was found. */
async function fuzz(request: Request, schemathesis: Schemathesis, folder: string): Promise<boolean> {
  const { signal } = stopping;
  show('Starting a Steward of its own …');
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

/** Failures that the caller of an operation need not see, such as a response that broke off. */
async function bugsIn(log: string): Promise<string[]> {
  const lines = (await readFile(log, 'utf8')).split('\n');
  return lines.filter((line) => /^\{"level":"(?:error|fatal)"/.test(line));
}

function summary({ cases, operations, failures, timeIsOver }: Outcome, bugs: number): string {
  const over = timeIsOver ? ' when the time was over' : '';
  return `${String(cases)} cases against ${String(operations)} operations${over}: ${String(failures)} failures, ${String(bugs)} errors in the log.`;
}
