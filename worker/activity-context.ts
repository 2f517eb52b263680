import type { Info } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import { logContext } from '../platform/logging/log-context.ts';
import { originHeader, type JobInput, type Origin } from '../workflows/contract.ts';

/** Adds the job, the workflow, the activity, its attempt and the request to each line that an activity logs. */
export const activityContext: ActivityInterceptorsFactory = ({ info }) => {
  let fields: ActivityFields = {};
  return {
    inbound: {
      async execute(input, next) {
        fields = fieldsOf(info, input);
        return logContext.run(fields, async () => next(input));
      },
    },
    // The SDK logs the failure of an activity outside `execute`.
    outbound: { getLogAttributes: (attributes, next) => next({ ...attributes, ...fields }) },
  };
};

/** Names of the fields, in the order of the log line. */
export const activityFieldNames = ['jobId', 'workflowId', 'activity', 'attempt', 'requestId'] as const;
type ActivityFields = Partial<Readonly<Record<(typeof activityFieldNames)[number], string | number>>>;

function fieldsOf(info: Info, { args, headers }: ActivityExecuteInput): ActivityFields {
  const { jobId } = (args[0] ?? {}) as Partial<JobInput>;
  const payload = headers[originHeader];
  const { requestId }: Origin = payload === undefined ? {} : defaultPayloadConverter.fromPayload(payload);
  return {
    ...(jobId !== undefined && { jobId }),
    ...(info.workflowExecution !== undefined && { workflowId: info.workflowExecution.workflowId }),
    activity: info.activityType,
    attempt: info.attempt,
    ...(requestId !== undefined && { requestId }),
  };
}
