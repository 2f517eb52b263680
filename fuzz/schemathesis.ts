import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand, tellingLine } from '../local/run-command.ts';

const version = '4.32.5';
const constraints = fileURLToPath(new URL('constraints.txt', import.meta.url));

interface Options {
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How Python is to run schemathesis: the interpreter and the folder of its packages, kept for later runs. */
export interface Schemathesis {
  readonly python: string;
  readonly packages: string;
}

/** Installs it from PyPI the first time. Throws one line that names what is missing. */
export async function obtainSchemathesis({ show, signal }: Options): Promise<Schemathesis> {
  const { python, series } = await findPython(signal);
  const cache = join(process.env['HOME'] ?? homedir(), '.cache', 'steward');
  // Some packages are compiled for one series of Python.
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
    if (!run.ok) throw new Error(`schemathesis could not be installed: ${tellingLine(run.output)}`);
    // In one step: an installation that was called off leaves nothing that looks like one.
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
