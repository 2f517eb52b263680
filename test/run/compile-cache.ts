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
 * Compiles the programs and bundles the workflows once for all processes that tests start: a killed process loses its
 * compiled code, and several would bundle at the same time.
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
  const bundle = `const { workflowBundle } = await import(${JSON.stringify(pathToFileURL(join(root, 'worker/workflow-bundle.ts')).href)});
    await workflowBundle(${JSON.stringify(folder)});`;
  const program = `${imports.join('')}${bundle}process.exit()`;
  await runCommand(process.execPath, ['--input-type=module', '-e', program], {
    directory: root,
    environment: { ...process.env, ...filled },
    signal,
  });
  return filled;
}
