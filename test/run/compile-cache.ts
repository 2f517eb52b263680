import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runCommand } from '../../local/run-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const programs = [
  'api/start-api.ts',
  'worker/start-worker.ts',
  'cli/run-command-line.ts',
  'local/installation.ts',
];

/**
 * Compiles the programs once for all processes that tests start, because a killed process loses its compiled code.
 * Returns variables for the environment of the tests. A failure only makes tests slower.
 */
export async function fillCompileCache(
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly NODE_COMPILE_CACHE: string }> {
  const filled = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const imports = programs.map(
    (program) => `await import(${JSON.stringify(pathToFileURL(join(root, program)).href)});`,
  );
  await runCommand(process.execPath, ['--input-type=module', '-e', `${imports.join('')}process.exit()`], {
    directory: root,
    environment: { ...process.env, ...filled },
    signal,
  });
  return filled;
}
