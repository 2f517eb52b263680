import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import type { KeyChannel } from '../domain/notices/channels.ts';
import { storableRequestId } from '../platform/logging/request-id.ts';
import {
  askAiLimits,
  originHeader,
  searchAttributes,
  wakeSignal,
  workflowIdOf,
  workflowKinds,
  workflowQueue,
  type AskAiInput,
  type DeliveryInput,
  type DispatchInput,
  type JobInput,
  type Origin,
  type SendInput,
} from './contract.ts';

/*
 * How each workflow starts: its id, queue, argument, and what the Temporal UI shows.
 */

/** Headers of the workflows that a process starts: the trace of the active span. Undefined where tracing is off. */
export const originHeaders = (
  tracing: { traceparent(): string | undefined } | undefined,
): (() => { readonly [originHeader]: Origin } | undefined) | undefined =>
  tracing &&
  (() => {
    const traceparent = tracing.traceparent();
    return traceparent === undefined ? undefined : { [originHeader]: { traceparent } };
  });

/** Visibility stores 255 characters of a keyword. */
const maxAttributeLength = 200;

/** The memo of a workflow that a request starts. Activities read the id from it. */
function memoOf(requestId = ''): { readonly memo?: { readonly requestId: string } } {
  const stored = storableRequestId(requestId);
  return stored === null ? {} : { memo: { requestId: stored } };
}

/** The workflow of a job. */
export const workflowStartOf = (job: StartableJob) => ({
  workflowType: job.workflowType,
  workflowId: workflowIdOf(job),
  taskQueue: workflowQueue,
  input: { jobId: job.jobId } satisfies JobInput,
  summary: job.summary,
  attributes: {
    [searchAttributes.jobId]: job.jobId,
    [searchAttributes.jobKind]: job.kind,
    [searchAttributes.keyId]: job.keyId,
    ...(job.organizationId !== null && {
      [searchAttributes.organizationId]: job.organizationId.slice(0, maxAttributeLength),
    }),
  },
  ...memoOf(job.requestId ?? undefined),
  fairnessKey: job.keyId,
});

/** The workflow of one AI call. Its id is derived from the row's, so a repeated start finds it. */
export const askAiStartOf = ({
  keyId,
  requestId,
  provider,
  callerRequestId,
}: AskAiInput & { readonly keyId: string; readonly callerRequestId?: string | undefined }) => ({
  workflowType: 'askAi',
  workflowId: `rewrite/${requestId}`,
  taskQueue: workflowQueue,
  input: { requestId, provider },
  summary: 'Calls an AI provider',
  attributes: { [searchAttributes.jobKind]: workflowKinds.askAi, [searchAttributes.keyId]: keyId },
  ...memoOf(callerRequestId),
  endsWithinMs: askAiLimits.workflow,
  fairnessKey: keyId,
});

/** The workflow that creates messages from the events of a key. It ends when the outbox is empty. */
export const dispatchStartOf = (input: DispatchInput) => ({
  workflowType: 'dispatchWebhooks',
  workflowId: `webhook-dispatch/${input.keyId}`,
  taskQueue: workflowQueue,
  input,
  summary: 'Creates webhook messages from the events of an API key',
  attributes: {
    [searchAttributes.jobKind]: workflowKinds.dispatch,
    [searchAttributes.keyId]: input.keyId,
  },
  fairnessKey: input.keyId,
  signal: wakeSignal,
});

/** The workflow that sends an endpoint its due messages. It sleeps until the next is due, and ends when none waits. */
export const deliveryStartOf = (input: DeliveryInput) => ({
  workflowType: 'deliverWebhooks',
  workflowId: `webhook-endpoint/${input.endpointId}`,
  taskQueue: workflowQueue,
  input,
  summary: 'Sends due messages to a webhook endpoint',
  attributes: {
    [searchAttributes.jobKind]: workflowKinds.delivery,
    [searchAttributes.keyId]: input.keyId,
    [searchAttributes.endpointId]: input.endpointId,
  },
  fairnessKey: input.keyId,
  signal: wakeSignal,
});

/** The workflow that sends notifications on a channel of a key. It sleeps until the next is due, and ends when none waits. */
export const sendStartOf = ({ keyId, channel }: KeyChannel) => ({
  workflowType: 'sendNotifications',
  workflowId: `notification-send/${keyId}/${channel}`,
  taskQueue: workflowQueue,
  input: { tenantId: keyId, channel } satisfies SendInput,
  summary: 'Sends due notifications of an API key',
  attributes: {
    [searchAttributes.jobKind]: workflowKinds.send,
    [searchAttributes.keyId]: keyId,
  },
  fairnessKey: keyId,
  signal: wakeSignal,
});

/** The sweep: a Temporal Schedule that starts one workflow every 15 s. */
export const sweepSchedule = {
  scheduleId: 'steward-sweep',
  workflowType: 'sweep',
  workflowId: 'sweep',
  everyMs: 15_000,
  summary: 'Starts waiting jobs and deletes expired rows',
  attributes: { [searchAttributes.jobKind]: workflowKinds.sweep },
} as const;
