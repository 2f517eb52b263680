import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/**
 * `node worker/build-bundle.ts <file> [module]`: bundles the workflows that a module exports, by default Steward's own, with
 * Steward's interceptors, and writes the file atomically.
 */
const ownWorkflows = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const interceptors = fileURLToPath(new URL('../workflows/interceptors.ts', import.meta.url));
const [, , file, workflowsPath = ownWorkflows] = process.argv;
if (file === undefined) throw new Error('The file to write is missing: node worker/build-bundle.ts <file>');
const { code } = await bundleWorkflowCode({ workflowsPath, workflowInterceptorModules: [interceptors] });
const unfinished = `${file}.${String(process.pid)}`;
await writeFile(unfinished, code);
await rename(unfinished, file);
