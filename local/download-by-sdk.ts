import { TestWorkflowEnvironment } from '@temporalio/testing';

/**
 * `node download-by-sdk.ts <program> <folder>`: the Temporal SDK downloads its server into the folder and starts it once.
 * A separate program, so that the SDK's native runtime is not loaded into the caller.
 */
const [, , program, downloadDir = '.'] = process.argv;
const server = { executable: { type: 'cached-download' as const, downloadDir } };
const environment =
  program === 'temporal'
    ? await TestWorkflowEnvironment.createLocal({ server })
    : await TestWorkflowEnvironment.createTimeSkipping({ server });
await environment.teardown();
