import { TestWorkflowEnvironment } from '@temporalio/testing';

/**
 * `node download-by-sdk.ts <program> <folder>`: has Temporal's SDK fetch its server from Temporal's own site into the
 * folder, and starts it once. A program of its own, so that the SDK's native runtime stays out of the caller.
 */
const [, , program, downloadDir = '.'] = process.argv;
const server = { executable: { type: 'cached-download' as const, downloadDir } };
const environment =
  program === 'temporal'
    ? await TestWorkflowEnvironment.createLocal({ server })
    : await TestWorkflowEnvironment.createTimeSkipping({ server });
await environment.teardown();
