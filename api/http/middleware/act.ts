import { respondToRead, type Reads } from '../act/respond-to-read.ts';
import { actorOf } from '../caller/actor.ts';
import { ownerOf } from '../caller/authenticate.ts';
import { executeOutside } from '../act/execute-outside.ts';
import { executeMutation, type Executed } from '../act/execute.ts';
import { isGrouped, type GroupCommit } from '../act/group-commit.ts';
import { callerGone, whenClosed } from '../response/streaming-writer.ts';
import type { IdempotentState, Operation, RequestContext, RequestMiddleware } from './state.ts';

/** Dependencies of the `act` middleware. */
export interface Acts extends Reads {
  readonly groupCommit: GroupCommit;
}

/** Runs the endpoint's handler. A mutation commits before its response is sent. */
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
  const { outside, audit } = endpoint;
  const execution = { idempotent, requestId, actor: audit && actorOf(context, endpoint.credentials) };
  if (outside !== undefined && outside.needed?.(call, acts) !== false)
    return executeOutside(acts, { ...endpoint, outside }, call, execution, callerGone(context));
  const alone = async (): Promise<Executed> => executeMutation(acts, endpoint, call, execution);
  return isGrouped(endpoint) && 'tenant' in call
    ? acts.groupCommit.execute(acts, endpoint, call, { bytes, idempotent, alone })
    : alone();
}

/** Responses to mutations beyond this size are charged to the read budget until they are sent. */
const uncountedBytes = 65_536;

function chargeLarge({ readBudget }: Acts, body: string, context: RequestContext<IdempotentState>): void {
  if (body.length <= uncountedBytes) return;
  const charge = readBudget.chargeOf(ownerOf(context.state.authenticated));
  charge.keep(Buffer.byteLength(body));
  whenClosed(context, () => charge.close());
}
