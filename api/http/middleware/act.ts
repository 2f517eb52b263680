import { readStoredResponse } from '../../../domain/idempotency/idempotency.ts';
import { messages } from '../../../domain/messages.ts';
import { respondToRead, type Reads } from '../act/respond-to-read.ts';
import { actorOf } from '../caller/actor.ts';
import { ownerOf } from '../caller/authenticate.ts';
import { executeOutside } from '../act/execute-outside.ts';
import { executeMutation, type Executed } from '../act/execute.ts';
import { isGrouped, type GroupCommit } from '../act/group-commit.ts';
import { callerGone, whenClosed } from '../response/streaming-writer.ts';
import { TransportError } from '../response/transport-error.ts';
import type { IdempotentState, Operation, RequestContext, RequestMiddleware } from './state.ts';

/** Dependencies of the `act` middleware. */
export interface Acts extends Reads {
  readonly groupCommit: GroupCommit;
}

/** A call acts at most this time after its authentication: the deletion of its key waits until it can write no more. */
const maxAuthenticatedMs = 30_000;

/** Runs the endpoint's handler. A mutation commits before its response is sent. */
export function act(acts: Acts, operation: Operation): RequestMiddleware<IdempotentState> {
  const { endpoint } = operation;
  return async function act(context) {
    context.type = 'application/json; charset=utf-8';
    if (!endpoint.mutates) return respondToRead(acts, endpoint, context);
    if (performance.now() - context.state.authenticatedAt > maxAuthenticatedMs) throw late();
    const executed = await execute(acts, operation, context);
    const body = await chargedBody(acts, executed, context);
    if (executed.headers !== undefined) context.set(executed.headers);
    if (executed.replayed) {
      context.set('Idempotent-Replayed', 'true');
      context.state.replayed = true;
    }
    context.status = executed.httpStatus;
    context.body = body;
  };
}

const late = (): TransportError =>
  new TransportError('UNAVAILABLE', messages.unavailable, { headers: { 'Retry-After': '1' } });

async function execute(
  acts: Acts,
  { endpoint }: Operation,
  context: RequestContext<IdempotentState>,
): Promise<Executed> {
  const { call, idempotent, requestId, bytes } = context.state;
  const { outside, audit } = endpoint;
  const execution = { idempotent, requestId, actor: audit && actorOf(context, endpoint.credentials) };
  if (outside !== undefined && outside.needed?.(call, acts) !== false) {
    const charge = acts.readBudget.chargeOf(ownerOf(context.state.authenticated));
    const held = { callerGone: callerGone(context), charge };
    try {
      return await executeOutside(acts, { ...endpoint, outside }, call, execution, held);
    } finally {
      charge.close();
    }
  }
  const alone = async (): Promise<Executed> => executeMutation(acts, endpoint, call, execution);
  return isGrouped(endpoint) && 'tenant' in call
    ? acts.groupCommit.execute(acts, endpoint, call, { bytes, idempotent, alone })
    : alone();
}

/** Responses to mutations beyond this size are charged to the read budget until they are sent. */
const uncountedBytes = 65_536;

/** Bytes that a large replay reserves before it is read: the max of a response. */
const maxReplayBytes = 10_485_760;

async function chargedBody(
  { readBudget, orm, keyRing }: Acts,
  { body, unread }: Executed,
  context: RequestContext<IdempotentState>,
): Promise<string> {
  if (unread === undefined && body.length <= uncountedBytes) return body;
  const charge = readBudget.chargeOf(ownerOf(context.state.authenticated));
  whenClosed(context, () => charge.close());
  if (unread === undefined) {
    charge.keep(Buffer.byteLength(body));
    return body;
  }
  await charge.reserve(maxReplayBytes);
  const stored = await readStoredResponse(orm.em, keyRing, unread);
  charge.keep(Buffer.byteLength(stored));
  return stored;
}
