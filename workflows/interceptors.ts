import {
  ContinueAsNew,
  defaultPayloadConverter,
  proxySinks,
  workflowInfo,
  type Headers,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { originHeader, type Origin, type WorkflowSinks } from './contract.ts';

/**
 * Passes the request that started a workflow to its activities: its id, which is the workflow's memo `requestId`, and its
 * trace. Activities join the trace of the last signal that had one. A run that continues as new keeps its trace.
 */
export function interceptors(): WorkflowInterceptors {
  let traceparent: string | undefined;
  const passOn = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: withOrigin(input.headers, traceparent),
  });
  return {
    inbound: [
      {
        async execute(input, next) {
          const parent = traceparentOf(input.headers);
          if (parent === undefined) return next(input);
          traceparent = childOf(parent);
          return traced(parent, async () => next(input));
        },
        async handleSignal(input, next) {
          const parent = traceparentOf(input.headers);
          // A workflow started by a signal has its own span in the trace of the signal.
          if (parent !== undefined && traceIdOf(parent) !== traceIdOf(traceparent)) traceparent = parent;
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: async (input, next) => next(passOn(input)),
        continueAsNew: async (input, next) => next(passOn(input)),
      },
    ],
  };
}

const { spans } = proxySinks<WorkflowSinks>();

/** Reports the span of a run when it has ended. */
async function traced(parent: string, run: () => Promise<unknown>): Promise<unknown> {
  const startedAt = Date.now();
  const ended = (failed: boolean): void =>
    spans.ended({ traceparent: parent, spanId: ownSpanId(), startedAt, endedAt: Date.now(), failed });
  try {
    const result = await run();
    ended(false);
    return result;
  } catch (error) {
    ended(!(error instanceof ContinueAsNew));
    throw error;
  }
}

/** Derived from the run's id: a replay computes the same id, and no random number of the workflow is consumed. */
const ownSpanId = (): string => workflowInfo().runId.replaceAll('-', '').slice(-16);

/** A traceparent is `00-<32 digits: trace>-<16 digits: span>-<2 digits: flags>`. */
const childOf = (parent: string): string => parent.slice(0, 36) + ownSpanId() + parent.slice(52);
const traceIdOf = (traceparent?: string): string | undefined => traceparent?.slice(3, 35);

function traceparentOf(headers: Headers): string | undefined {
  const payload = headers[originHeader];
  return payload && defaultPayloadConverter.fromPayload<Origin>(payload).traceparent;
}

function withOrigin(headers: Headers, traceparent: string | undefined): Headers {
  const requestId = workflowInfo().memo?.['requestId'];
  const origin: Origin = {
    ...(typeof requestId === 'string' && { requestId }),
    ...(traceparent !== undefined && { traceparent }),
  };
  if (Object.keys(origin).length === 0) return headers;
  return { ...headers, [originHeader]: defaultPayloadConverter.toPayload(origin) };
}
