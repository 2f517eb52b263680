import type { Context } from 'koa';
import type { CursorListReply, IteratorListReply, ListAnswer, ListReply, PagedReply } from './answer.ts';
import type { Gateway } from './answer-endpoint.ts';
import { ownerOf, type Authenticated } from './authenticate.ts';
import { cursorListBody, type CursorPaging } from './cursor-list.ts';
import type { Call, Credentials, Endpoint, Work } from './endpoint.ts';
import { iteratorListBody, type IteratorPaging } from './iterator-list.ts';
import type { JsonPieces } from './list-form.ts';
import { bytesOf, listBody, type Paging } from './list.ts';
import { pagedBody } from './paged.ts';
import type { ResponseCharge } from './read-budget.ts';
import { sendParts } from './send-parts.ts';
import { serialize } from './serialize.ts';

/** Runs a reading endpoint and sends what it returns; what is read and not yet sent is charged to the caller's key. */
export async function answerRead(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  authenticated: Authenticated,
  context: Context,
): Promise<void> {
  const owner = ownerOf(authenticated);
  const charge = gateway.readBudget.chargeOf(owner, context.res);
  if (endpoint.largestResponse !== undefined) await charge.reserve(endpoint.largestResponse);
  const reply = await endpoint.handle(call, readingWork(gateway));
  context.status = 200;
  const { pageSize, pageToken, cursor, ...filters } = call.data as Paging & CursorPaging;
  const list = { scope: { owner, path: call.path, filters }, cursors: gateway.cursors, charge };
  const { answer } = endpoint;
  if (answer.kind === 'list') {
    const ofList = endpoint as Endpoint & { answer: ListAnswer };
    const paging = { pageSize, pageToken };
    const { first, rest } = await listBody(ofList, reply as ListReply<unknown>, { paging, ...list });
    if (rest === undefined) return sendPieces(context, first, charge);
    context.respond = false;
    return sendParts(context.res, { first, rest }, charge);
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

/** Large bytes leave as they are: joined to what stands around them, they would be copied for each response. */
function sendPieces(context: Context, pieces: JsonPieces, charge: ResponseCharge): void {
  const length = bytesOf(pieces);
  charge.keep(length);
  if (pieces.every((piece) => typeof piece === 'string')) {
    context.body = pieces.join('');
    return;
  }
  const { res } = context;
  context.respond = false;
  res.setHeader('Content-Length', length);
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

function readingWork(gateway: Gateway): Work {
  const notWhileReading = (): never => {
    throw new Error('A reading endpoint starts nothing.');
  };
  return {
    em: gateway.orm.em,
    keyRing: gateway.keyRing,
    permissionProvider: gateway.permissionProvider,
    rewriter: gateway.rewriter,
    webhooks: gateway.webhooks,
    outbound: gateway.outbound,
    idempotent: undefined,
    publicUrl: gateway.publicUrl,
    workflowUrl: gateway.workflowUrl,
    startJob: notWhileReading,
    wakeEndpoint: notWhileReading,
    afterCommit: notWhileReading,
  };
}
