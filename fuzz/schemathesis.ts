import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand, errorLine } from '../local/run-command.ts';

const version = '4.32.5';
const constraints = fileURLToPath(new URL('constraints.txt', import.meta.url));

interface Options {
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The Python interpreter and the folder with the packages of schemathesis, kept for later runs. */
export interface Schemathesis {
  readonly python: string;
  readonly packages: string;
}

/** Installs schemathesis from PyPI on the first run. Throws an error that names what is missing in one line. */
export async function obtainSchemathesis({ show, signal }: Options): Promise<Schemathesis> {
  const { python, series } = await findPython(signal);
  const cache = join(process.env['HOME'] ?? homedir(), '.cache', 'steward');
  // Compiled packages fit only one minor version of Python.
  const packages = join(cache, `schemathesis-${version}-python${series}`);
  const there = await access(packages).then(
    () => true,
    () => false,
  );
  if (there) return { python, packages };
  show(`Installing schemathesis ${version} from PyPI, about half a minute …`);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, '.getting-'));
  try {
    const target = ['--target', folder, '--constraint', constraints, '--only-binary=:all:', '--no-input'];
    const environment = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' };
    const wanted = `schemathesis==${version}`;
    const run = await runCommand(python, ['-m', 'pip', 'install', ...target, wanted], {
      environment,
      signal,
    });
    signal.throwIfAborted();
    if (!run.ok) throw new Error(`schemathesis could not be installed: ${errorLine(run.output)}`);
    // Atomic: a canceled installation must not look complete.
    await rename(folder, packages);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { python, packages };
}

async function findPython(signal: AbortSignal): Promise<{ python: string; series: string }> {
  const question =
    'import pip, sys; assert sys.version_info >= (3, 10); print("%d.%d" % sys.version_info[:2])';
  for (const python of ['python3', 'python']) {
    const run = await runCommand(python, ['-c', question], { signal, timeoutMs: 60_000 });
    if (run.ok) return { python, series: run.output };
  }
  throw new Error('npm run fuzz needs Python 3.10 or later with pip, as python3 on the PATH.');
}
