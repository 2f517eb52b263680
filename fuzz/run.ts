import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Schemathesis } from './schemathesis.ts';
import type { Site } from './site.ts';

export interface Request {
  readonly cases: number;
  readonly minutes: number;
  /** The seed of an earlier run, to repeat its cases. */
  readonly seed: string | undefined;
}

/** The counts of a run. */
export interface Outcome {
  readonly cases: number;
  readonly operations: number;
  readonly failures: number;
  readonly timeIsOver: boolean;
}

interface Report {
  readonly operations: { readonly tested: number; readonly errored: number };
  readonly test_cases: { readonly generated: number; readonly errored: number };
  readonly failures: readonly unknown[];
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Runs schemathesis, which generates the cases, checks the responses and writes failures to standard output. */
export async function run(
  site: Site,
  { python, packages }: Schemathesis,
  {
    request,
    folder,
    signal,
  }: { readonly request: Request; readonly folder: string; readonly signal: AbortSignal },
): Promise<Outcome> {
  const world = join(folder, 'world.json');
  await writeFile(world, JSON.stringify(site.world), { mode: 0o600 });
  const report = join(folder, 'report.json');
  const child = spawn(python, [...(await programArguments(site, request)), `--report-json-path=${report}`], {
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: [packages, fileURLToPath(new URL('.', import.meta.url))].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      STEWARD_FUZZ_WORLD: world,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Its own process group: Ctrl-C reaches only this process, which then stops schemathesis.
    detached: true,
  });
  const end = (): void => void child.kill('SIGINT');
  signal.addEventListener('abort', end);
  let timeIsOver = false;
  const timer = setTimeout(() => {
    timeIsOver = true;
    end();
  }, request.minutes * 60_000);
  try {
    await once(child, 'exit');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  return { ...outcomeOf(await readReport(report)), timeIsOver };
}

async function programArguments(site: Site, { cases, seed }: Request): Promise<string[]> {
  const document = `${site.url}/openapi.json`;
  const { paths } = (await (await fetch(document)).json()) as { readonly paths: object };
  const perOperation = Math.max(1, Math.ceil(cases / Object.keys(paths).length));
  const options = {
    phases: 'examples,coverage,fuzzing',
    checks: checks.join(','),
    'max-examples': perOperation,
    workers: 2,
    'generation-database': 'none',
    warnings: 'off',
    'request-timeout': 30,
    report: 'json',
    ...(seed !== undefined && { seed }),
  };
  const written = Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`);
  return ['-m', 'schemathesis.cli', 'run', document, '--continue-on-failure', ...written];
}

async function readReport(file: string): Promise<Report> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch (cause) {
    throw new Error('schemathesis ended without a report: see above.', { cause });
  }
}

function outcomeOf({ operations, test_cases, failures }: Report): Omit<Outcome, 'timeIsOver'> {
  return {
    cases: test_cases.generated,
    operations: operations.tested,
    failures: failures.length + operations.errored + test_cases.errored,
  };
}
