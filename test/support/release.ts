import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverEnvironment } from './environment.ts';
import { startProcess, type TestProcess } from './processes.ts';

const run = promisify(execFile);

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Max milliseconds of an installation of packages. */
const limitMs = 600_000;

const { NODE_OPTIONS: _jests, ...inherited } = process.env;

/** A release and its commit. */
export interface ReleaseName {
  readonly version: string;
  readonly commit: string;
}

/** An earlier release, installed in its own folder. */
export interface Release {
  readonly folder: string;
  start(
    program: 'api' | 'worker',
    databaseUrl: string,
    environment?: Readonly<Record<string, string>>,
  ): Promise<TestProcess>;
  /** Runs a command of its CLI. Rejects when it fails. */
  command(databaseUrl: string, ...commandLine: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

/** Checks a commit out into a folder and installs its packages from npm's cache or registry. Rejects with one line in a clone without the commit. */
export async function aRelease({ version, commit }: ReleaseName): Promise<Release> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(
      `This clone has no commit ${commit} (release ${version}): run git fetch --unshallow, or clone with the history.`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), `steward-${version}-`));
  const archive = join(folder, 'release.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  const options = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', options, { cwd: folder, env: inherited, timeout: limitMs, maxBuffer: 16_777_216 });
  return {
    folder,
    start: async (program, databaseUrl, environment) =>
      startProcess(program, databaseUrl, environment, [], folder),
    async command(databaseUrl, ...commandLine) {
      const env = { ...inherited, ...serverEnvironment(databaseUrl) };
      await run(process.execPath, ['cli/main.ts', ...commandLine], { cwd: folder, env, timeout: limitMs });
    },
    remove: async () => rm(folder, { recursive: true, force: true }),
  };
}
