import { respondToRead, type Reads } from '../act/respond-to-read.ts';
import { ownerOf } from '../caller/authenticate.ts';
import { executeOutside } from '../act/execute-outside.ts';
import { executeMutation, type Executed } from '../act/execute.ts';
import { isGrouped, type GroupCommit } from '../act/group-commit.ts';
import { callerGone, whenClosed } from '../response/streaming-writer.ts';
import type { IdempotentState, Operation, RequestContext, RequestMiddleware } from './state.ts';

/** What acts work with. */
export interface Acts extends Reads {
  readonly groupCommit: GroupCommit;
}

/** Runs the endpoint's handler: state, existence and the act itself. A mutation commits before its response leaves. */
export function act(acts: Acts, operation: Operation): RequestMiddleware<IdempotentState> {
  const { endpoint } = operation;
  return async function act(context) {
    context.type = 'application/json; charset=utf-8';
    if (!endpoint.mutates) return respondToRead(acts, endpoint, context);
    const executed = await execute(acts, operation, context);
    if (executed.headers !== undefined) context.set(executed.headers);
    if (executed.replayed) {
      context.set('Idempotent-Replayed', 'true');
      context.state.replayed = true;
    }
    context.status = executed.httpStatus;
    context.body = executed.body;
    chargeLarge(acts, executed.body, context);
  };
}

async function execute(
  acts: Acts,
  { endpoint }: Operation,
  context: RequestContext<IdempotentState>,
): Promise<Executed> {
  const { call, idempotent, requestId, bytes } = context.state;
  const execution = { idempotent, requestId };
  const { outside } = endpoint;
  if (outside !== undefined && outside.needed?.(call, acts) !== false)
    return executeOutside(acts, { ...endpoint, outside }, call, execution, callerGone(context));
  const alone = async (): Promise<Executed> => executeMutation(acts, endpoint, call, execution);
  return isGrouped(endpoint) && idempotent === undefined && 'tenant' in call
    ? acts.groupCommit.execute(acts, endpoint, call, { bytes, alone })
    : alone();
}

/** Bytes of a response to a write that count as held until they are sent. */
const largeBody = 65_536;

function chargeLarge({ readBudget }: Acts, body: string, context: RequestContext<IdempotentState>): void {
  if (body.length <= largeBody) return;
  const charge = readBudget.chargeOf(ownerOf(context.state.authenticated));
  charge.keep(Buffer.byteLength(body));
  whenClosed(context, () => charge.close());
}
