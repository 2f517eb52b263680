import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { eventually } from './eventually.ts';

/**
 * Creates a Temporal namespace for a test file and returns its variables. Workers of one file must not run workflows
 * of another, whose database they cannot reach.
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
    // The server's caches include a new namespace with a delay.
    await eventually(() => connection.workflowService.countWorkflowExecutions({ namespace }));
  } finally {
    await connection.close();
  }
  return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
}
