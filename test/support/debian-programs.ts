import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A command with its first arguments. */
export type Program = readonly [string, ...string[]];

/** Packages of one release of Debian. */
export interface DebianPackages {
  readonly name: string;
  /** Default: Debian 13. It may be newer than the machine's, so programs run with its libraries. */
  readonly release?: 'forky' | 'trixie' | 'bookworm';
  readonly packages: readonly string[];
}

/** A program of Debian's packages, which include every library that it needs. */
export interface DebianProgram extends DebianPackages {
  /** Path of the program in its package. */
  readonly path: string;
  /** Option that prints the version; `--version` by default. */
  readonly versionOption?: string;
}

const linkers: Readonly<Record<string, readonly [linker: string, libraries: string]>> = {
  x64: ['lib64/ld-linux-x86-64.so.2', 'lib/x86_64-linux-gnu'],
  arm64: ['lib/ld-linux-aarch64.so.1', 'lib/aarch64-linux-gnu'],
};

/** Returns the program, fetched once without root, or a line with the reason why it is not available. */
export async function obtainDebianProgram(wanted: DebianProgram): Promise<Program | string> {
  const [linker, libraries] = linkers[process.arch] ?? [];
  if (linker === undefined || libraries === undefined)
    return `${wanted.name}: not obtained for the processor ${process.arch}.`;
  try {
    const folder = await unpackedPackages(wanted);
    // Debian 12 has the linker and libraries of libc6 outside usr.
    const program: Program = [
      join(folder, wanted.release === 'bookworm' ? '' : 'usr', linker),
      '--library-path',
      [join(folder, 'usr', libraries), join(folder, libraries)].join(':'),
      join(folder, wanted.path),
    ];
    const [command, ...first] = program;
    await run(command, [...first, wanted.versionOption ?? '--version']);
    return program;
  } catch (error) {
    return notObtained(wanted, error);
  }
}

const defaultRelease = 'trixie';

/** The reason in one line. */
export const notObtained = ({ name, release = defaultRelease }: DebianPackages, error: unknown): string =>
  `${name}: not obtained from Debian ${release}: ${(error as Error).message.split('\n')[0] ?? ''}`;

/** Returns the folder with the files of the packages, fetched once without root. */
export async function unpackedPackages({
  name,
  release = defaultRelease,
  packages,
}: DebianPackages): Promise<string> {
  const folder = join(tmpdir(), `steward-${name}-${release}`);
  if (!(await exists(folder))) await fetchPackages(folder, release, packages);
  return folder;
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** With separate lists and cache, so that apt does not change the system. */
async function fetchPackages(folder: string, release: string, packages: readonly string[]): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'steward-apt-'));
  try {
    for (const name of ['state/lists/partial', 'cache/archives/partial', 'debs', 'root'])
      await mkdir(join(work, name), { recursive: true });
    await writeFile(join(work, 'status'), '');
    await writeFile(
      join(work, 'sources.list'),
      `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${release} main\n`,
    );
    await writeFile(
      join(work, 'apt.conf'),
      `Dir::State "${work}/state"; Dir::State::status "${work}/status"; Dir::Cache "${work}/cache";
       Dir::Etc::sourcelist "${work}/sources.list"; Dir::Etc::sourceparts "-"; APT::Sandbox::User "";\n`,
    );
    const options = {
      cwd: join(work, 'debs'),
      env: { ...process.env, APT_CONFIG: join(work, 'apt.conf') },
      timeout: 300_000,
    };
    await run('apt-get', ['update'], options);
    await run('apt-get', ['download', ...packages], options);
    const root = join(work, 'root');
    for (const deb of await readdir(options.cwd)) await run('dpkg', ['-x', deb, root], options);
    // Renamed when complete.
    await rename(root, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
