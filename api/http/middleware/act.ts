import { unavailable } from '../../../domain/errors.ts';
import { readStoredResponse } from '../../../domain/idempotency/stored-responses.ts';
import { withConnectionsOf } from '../../../platform/database/connection-shares.ts';
import { respondToRead, type Reads } from '../act/respond-to-read.ts';
import { actorOf } from '../caller/actor.ts';
import { ownerOf } from '../caller/authenticate.ts';
import { executeOutside } from '../act/execute-outside.ts';
import type { Executed } from '../act/claimed-key.ts';
import { executeMutation } from '../act/execute.ts';
import type { WriteEndpoint } from '../endpoint.ts';
import { isGrouped, type GroupCommit } from '../act/group-commit.ts';
import { refusalOf } from '../act/storable-refusal.ts';
import { WriteRoom } from '../act/write-room.ts';
import { maxResponseBytes } from '../response/page-reader.ts';
import { callerGoneSignal } from '../response/streaming-writer.ts';
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
    const owner = ownerOf(context.state.authenticated);
    if (endpoint.mutates) await respondToWrite(acts, endpoint, context, owner);
    else await withConnectionsOf(owner, async () => respondToRead(acts, endpoint, context));
  };
}

async function respondToWrite(
  acts: Acts,
  endpoint: WriteEndpoint,
  context: RequestContext<IdempotentState>,
  owner: string,
): Promise<void> {
  const { authenticatedAt } = context.state;
  const refuseLate = (): void => {
    if (performance.now() - authenticatedAt > maxAuthenticatedMs) throw unavailable();
  };
  refuseLate();
  // A call of another server may have taken longer already: the deletion of its key waits for the longest call.
  const beforeRepeat = endpoint.outside === undefined ? refuseLate : () => undefined;
  const room = new WriteRoom(acts.readBudget, { owner, context, beforeRepeat });
  const { executed, body } = await executeInRoom(acts, endpoint, context, { owner, room });
  if (executed.headers !== undefined) context.set(executed.headers);
  if (executed.replayed) {
    context.set('Idempotent-Replayed', 'true');
    context.state.replayed = true;
  }
  const refusal = refusalOf(executed.code);
  if (refusal !== undefined) context.state.failure = refusal;
  context.status = executed.code;
  context.body = body;
}

/** The owner of the connections that a write uses, and the room of its response. */
interface Owned {
  readonly owner: string;
  readonly room: WriteRoom;
}

async function executeInRoom(
  acts: Acts,
  endpoint: WriteEndpoint,
  context: RequestContext<IdempotentState>,
  owned: Owned,
): Promise<{ executed: Executed; body: string }> {
  const { owner, room } = owned;
  try {
    const executed = await execute(acts, endpoint, context, owned);
    let { body } = executed;
    const { unread } = executed;
    if (unread !== undefined) {
      // The bytes of a large replay are known only once it is read.
      await room.reserve(maxResponseBytes);
      body = await withConnectionsOf(owner, async () =>
        readStoredResponse(acts.orm.em, acts.keyRing, unread),
      );
    }
    room.keep(body);
    return { executed, body };
  } catch (error) {
    room.close();
    throw error;
  }
}

async function execute(
  acts: Acts,
  endpoint: WriteEndpoint,
  context: RequestContext<IdempotentState>,
  { owner, room }: Owned,
): Promise<Executed> {
  const { call, idempotent, requestId, bytes } = context.state;
  const { outside, audit } = endpoint;
  const execution = { idempotent, requestId, actor: audit && actorOf(context, endpoint.credentials), room };
  if (outside !== undefined && outside.needed?.(call, acts.services) !== false) {
    const steps = { ...endpoint, outside };
    return withConnectionsOf(owner, async () =>
      executeOutside(acts, steps, call, execution, callerGoneSignal(context)),
    );
  }
  const alone = async (): Promise<Executed> =>
    withConnectionsOf(owner, async () => executeMutation(acts, endpoint, call, execution));
  return isGrouped(endpoint) && 'tenant' in call
    ? acts.groupCommit.execute(acts, endpoint, call, { bytes, idempotent, alone, room, owner })
    : alone();
}
