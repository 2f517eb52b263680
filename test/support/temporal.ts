import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { eventually } from './eventually.ts';

/**
 * A Temporal namespace of a test file's own, as variables of the configuration: workers of one file never take the
 * workflows of another, whose database they do not have.
 */
export async function aNamespace(): Promise<{ TEMPORAL_ADDRESS: string; TEMPORAL_NAMESPACE: string }> {
  const address = process.env['TEST_TEMPORAL_ADDRESS'];
  if (address === undefined)
    throw new Error('TEST_TEMPORAL_ADDRESS is not set: run the tests with npm test.');
  const namespace = `test-${randomBytes(8).toString('hex')}`;
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    // The server's own caches learn of a namespace a little later.
    await eventually(() => connection.workflowService.countWorkflowExecutions({ namespace }));
  } finally {
    await connection.close();
  }
  return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
}
