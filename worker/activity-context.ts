import type { Info } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import { logContext } from '../platform/logging/log-context.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { originHeader, type JobInput, type Origin } from '../workflows/contract.ts';

/**
 * Adds the job, the workflow, the activity, its attempt and the request to each line that an activity logs. While tracing
 * is on, runs the activity in a span of the trace of its workflow.
 */
export const activityContext =
  (tracing: Tracing | undefined): ActivityInterceptorsFactory =>
  ({ info }) => {
    let fields: ActivityFields = {};
    return {
      inbound: {
        async execute(input, next) {
          const origin = originOf(input);
          fields = fieldsOf(info, input, origin);
          const run = async (): Promise<unknown> => logContext.run(fields, async () => next(input));
          if (tracing === undefined) return run();
          return tracing.run(spanOf(info, origin), async ({ traceId }) => {
            fields = { ...fields, traceId };
            return run();
          });
        },
      },
      // The SDK logs the failure of an activity outside `execute`.
      outbound: { getLogAttributes: (attributes, next) => next({ ...attributes, ...fields }) },
    };
  };

/** Names of the fields, in the order of the log line. */
export const activityFieldNames = [
  'jobId',
  'workflowId',
  'activity',
  'attempt',
  'requestId',
  'traceId',
] as const;
type ActivityFields = Partial<Readonly<Record<(typeof activityFieldNames)[number], string | number>>>;

function originOf({ headers: { [originHeader]: payload } }: ActivityExecuteInput): Origin {
  return payload === undefined ? {} : defaultPayloadConverter.fromPayload(payload);
}

function fieldsOf(info: Info, { args }: ActivityExecuteInput, { requestId }: Origin): ActivityFields {
  const { jobId } = (args[0] ?? {}) as Partial<JobInput>;
  return {
    ...(jobId !== undefined && { jobId }),
    ...(info.workflowExecution !== undefined && { workflowId: info.workflowExecution.workflowId }),
    activity: info.activityType,
    attempt: info.attempt,
    ...(requestId !== undefined && { requestId }),
  };
}

const spanOf = ({ activityType, attempt, workflowExecution }: Info, { traceparent }: Origin) =>
  ({
    name: `RunActivity:${activityType}`,
    kind: 'consumer',
    traceparent,
    attributes: {
      'steward.attempt': attempt,
      temporalWorkflowID: workflowExecution?.workflowId ?? '',
      temporalRunID: workflowExecution?.runId ?? '',
    },
  }) as const;
