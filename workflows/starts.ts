import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import {
  askAiLimits,
  searchAttributes,
  wakeSignal,
  workflowIdOf,
  workflowKinds,
  workflowQueue,
  type AskAiInput,
  type DeliveryInput,
  type DispatchInput,
  type JobInput,
} from './contract.ts';

/*
 * How each workflow is started: its id, queue, argument, and what an operator sees of it in the Temporal UI.
 */

/** Visibility stores 255 characters of a keyword. */
const longestAttribute = 200;

export interface WorkflowStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly input: JobInput;
  readonly summary: string;
  /** By the name of the search attribute. */
  readonly attributes: Readonly<Record<string, string>>;
}

export function workflowStartOf(job: StartableJob): WorkflowStart {
  return {
    workflowType: job.workflowType,
    workflowId: workflowIdOf(job),
    taskQueue: workflowQueue,
    input: { jobId: job.jobId },
    summary: job.summary,
    attributes: {
      [searchAttributes.jobId]: job.jobId,
      [searchAttributes.jobKind]: job.kind,
      [searchAttributes.keyId]: job.keyId,
      ...(job.organizationId !== null && {
        [searchAttributes.organizationId]: job.organizationId.slice(0, longestAttribute),
      }),
    },
  };
}

/** The workflow of one request to an AI provider; made of the row's id, so that a repetition finds it. */
export const askAiStartOf = ({ keyId, requestId, provider }: AskAiInput & { readonly keyId: string }) => ({
  workflowType: 'askAi',
  workflowId: `rewrite/${requestId}`,
  taskQueue: workflowQueue,
  input: { requestId, provider },
  summary: 'Asks an AI provider',
  attributes: { [searchAttributes.jobKind]: workflowKinds.askAi, [searchAttributes.keyId]: keyId },
  endsWithin: askAiLimits.workflow,
  fairnessKey: keyId,
});

/** The workflow that makes messages of the events of a key, while there are any. */
export const dispatchStartOf = (input: DispatchInput) => ({
  workflowType: 'dispatchWebhooks',
  workflowId: `webhook-dispatch/${input.keyId}`,
  taskQueue: workflowQueue,
  input,
  summary: 'Hands the events of an API key to its webhook endpoints',
  attributes: {
    [searchAttributes.jobKind]: workflowKinds.dispatch,
    [searchAttributes.keyId]: input.keyId,
  },
  fairnessKey: input.keyId,
  signal: wakeSignal,
});

/** The workflow that sends an endpoint what is due, and sleeps until more is, while anything waits. */
export const deliveryStartOf = (input: DeliveryInput) => ({
  workflowType: 'deliverWebhooks',
  workflowId: `webhook-endpoint/${input.endpointId}`,
  taskQueue: workflowQueue,
  input,
  summary: 'Sends an endpoint what is due',
  attributes: {
    [searchAttributes.jobKind]: workflowKinds.delivery,
    [searchAttributes.keyId]: input.keyId,
    [searchAttributes.endpointId]: input.endpointId,
  },
  fairnessKey: input.keyId,
  signal: wakeSignal,
});

/** The sweep: a Temporal Schedule, one workflow a turn. */
export const sweepSchedule = {
  scheduleId: 'steward-sweep',
  workflowType: 'sweep',
  workflowId: 'sweep',
  every: '15s',
  summary: 'Starts jobs that wait, and deletes expired rows',
  attributes: { [searchAttributes.jobKind]: workflowKinds.sweep },
} as const;
