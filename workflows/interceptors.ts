import {
  defaultPayloadConverter,
  workflowInfo,
  type Headers,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { originHeader, type Origin } from './contract.ts';

/** Passes the id of the request that started a workflow, its memo `requestId`, to the activities. */
export function interceptors(): WorkflowInterceptors {
  return {
    outbound: [
      { scheduleActivity: async (input, next) => next({ ...input, headers: withOrigin(input.headers) }) },
    ],
  };
}

function withOrigin(headers: Headers): Headers {
  const requestId = workflowInfo().memo?.['requestId'];
  if (typeof requestId !== 'string') return headers;
  const origin: Origin = { requestId };
  return { ...headers, [originHeader]: defaultPayloadConverter.toPayload(origin) };
}
