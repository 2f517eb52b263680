import type { CursorListReply, IteratorListReply, ListAnswer, ListReply, PagedReply } from './answer.ts';
import { ownerOf } from './authenticate.ts';
import { cursorListBody, type CursorPaging } from './cursor-list.ts';
import type { Cursors } from './cursor.ts';
import type { Endpoint, Work } from './endpoint.ts';
import type { Frame } from './execute.ts';
import { iteratorListBody, type IteratorPaging } from './iterator-list.ts';
import type { JsonPieces } from './list-form.ts';
import { bytesOf, listBody, type Paging } from './list.ts';
import { pagedBody } from './paged.ts';
import type { IdempotentState, RequestContext } from './middleware/state.ts';
import type { ReadBudget, ResponseCharge } from './read-budget.ts';
import { serialize } from './serialize.ts';
import { whenClosed, writeParts, writeWhole } from './streaming-writer.ts';

/** What reads work with. */
export interface Reads extends Frame {
  /** Read at the first list: the API starts while the database is away. */
  readonly cursors: () => Promise<Cursors>;
  readonly readBudget: ReadBudget;
}

/** Runs a reading endpoint and sends what it returns; what is read and not yet sent is charged to the caller's key. */
export async function answerRead(
  reads: Reads,
  endpoint: Endpoint,
  context: RequestContext<IdempotentState>,
): Promise<void> {
  const { call, authenticated } = context.state;
  const owner = ownerOf(authenticated);
  const charge = reads.readBudget.chargeOf(owner);
  whenClosed(context, () => charge.close());
  if (endpoint.largestResponse !== undefined) await charge.reserve(endpoint.largestResponse);
  const reply = await endpoint.handle(call, readingWork(reads));
  context.status = 200;
  const { pageSize, pageToken, cursor, ...filters } = call.data as Paging & CursorPaging;
  const list = { scope: { owner, path: call.path, filters }, cursors: reads.cursors, charge };
  const { answer } = endpoint;
  if (answer.kind === 'list') {
    const ofList = endpoint as Endpoint & { answer: ListAnswer };
    const paging = { pageSize, pageToken };
    const { first, rest } = await listBody(ofList, reply as ListReply<unknown>, { paging, ...list });
    if (rest === undefined) return sendPieces(context, first, charge);
    return writeParts(context, { first, rest }, charge);
  }
  let body: string;
  if (answer.kind === 'cursorList') {
    const paging = { pageSize, pageToken, cursor };
    body = await cursorListBody(answer, reply as CursorListReply<unknown>, paging, list);
  } else if (answer.kind === 'iteratorList') {
    const { limit, iterator, ...filters } = call.data as IteratorPaging;
    const walked = { ...list, scope: { ...list.scope, filters } };
    body = await iteratorListBody(answer, reply as IteratorListReply<unknown>, { limit, iterator }, walked);
  } else if (answer.kind === 'paged') {
    body = await pagedBody(answer, reply as PagedReply<unknown>, pageToken, list);
  } else {
    body = await serialize(endpoint, reply);
  }
  sendPieces(context, [body], charge);
}

function sendPieces(context: RequestContext, pieces: JsonPieces, charge: ResponseCharge): void {
  charge.keep(bytesOf(pieces));
  if (pieces.every((piece) => typeof piece === 'string')) context.body = pieces.join('');
  else writeWhole(context, pieces);
}

function readingWork(reads: Reads): Work {
  const notWhileReading = (): never => {
    throw new Error('A reading endpoint starts nothing.');
  };
  return {
    em: reads.orm.em,
    keyRing: reads.keyRing,
    crdtReads: reads.crdtReads,
    permissionProvider: reads.permissionProvider,
    rewriter: reads.rewriter,
    webhooks: reads.webhooks,
    outbound: reads.outbound,
    idempotent: undefined,
    publicUrl: reads.publicUrl,
    workflowUrl: reads.workflowUrl,
    startJob: notWhileReading,
    wakeEndpoint: notWhileReading,
    afterCommit: notWhileReading,
  };
}
