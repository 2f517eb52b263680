import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** `node worker/build-bundle.ts <file>`: bundles the workflows into a file, whole or not at all. */
const [, , file] = process.argv;
if (file === undefined) throw new Error('The file to write is missing: node worker/build-bundle.ts <file>');
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
});
const unfinished = `${file}.${String(process.pid)}`;
await writeFile(unfinished, code);
await rename(unfinished, file);
