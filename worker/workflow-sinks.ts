import type { InjectedSinks } from '@temporalio/worker';
import type { Tracing } from '../platform/tracing/spans.ts';
import type { WorkflowSinks } from '../workflows/contract.ts';

/**
 * Records the spans of workflow runs. While tracing is off, ignores spans of runs that another process started in a
 * trace.
 */
export const workflowSinks = (tracing: Tracing | undefined): InjectedSinks<WorkflowSinks> => ({
  spans: {
    ended: {
      fn({ workflowType, workflowId, runId }, run) {
        const attributes = { temporalWorkflowID: workflowId, temporalRunID: runId };
        tracing?.record({ name: `RunWorkflow:${workflowType}`, attributes, ...run });
      },
    },
  },
});
