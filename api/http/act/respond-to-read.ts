import { ownerOf } from '../caller/authenticate.ts';
import type { Cursors } from '../response/cursor.ts';
import type { ReadEndpoint } from '../endpoint.ts';
import { actorOf } from '../caller/actor.ts';
import { bytesOf, type JsonPieces } from '../response/list-form.ts';
import type { IdempotentState, RequestContext } from '../middleware/state.ts';
import { unreservedBytes, type ReadBudget, type ResponseCharge } from '../response/read-budget.ts';
import { whenFinished, writeChunks, writeWhole } from '../response/streaming-writer.ts';
import { AuditTrail } from './audit-trail.ts';
import { recordCall } from './record-call.ts';
import { readWorkOf, type HttpDependencies } from './work.ts';

/** Dependencies of reads. */
export interface Reads extends HttpDependencies {
  /** Loaded at the first list, because the API starts without the database. */
  readonly cursors: () => Promise<Cursors>;
  readonly readBudget: ReadBudget;
}

/** Runs a reading endpoint and sends its response. Charges bytes that are read and not yet sent to the caller's key. */
export async function respondToRead(
  reads: Reads,
  endpoint: ReadEndpoint,
  context: RequestContext<IdempotentState>,
): Promise<void> {
  const { call, authenticated } = context.state;
  const owner = ownerOf(authenticated);
  const charge = reads.readBudget.chargeOf(owner);
  whenFinished(context, () => charge.close());
  const { maxResponseBytes = 0 } = endpoint;
  const bytes = typeof maxResponseBytes === 'number' ? maxResponseBytes : maxResponseBytes(call);
  if (bytes > unreservedBytes) await charge.reserve(bytes);
  const { response, paths } = endpoint;
  const isFurtherPage = 'read' in response && response.isFurtherPage?.(call.data) === true;
  if (endpoint.audit !== undefined && !isFurtherPage) {
    const actor = actorOf(context, endpoint.credentials);
    await recordCall(reads.orm.em, reads.keyRing, { audit: endpoint.audit, call, actor }, new AuditTrail());
  }
  const { path, data } = call;
  const request = { owner, path, data, cursors: reads.cursors };
  if ('read' in response) await response.checkPageToken?.(request);
  const reply = await endpoint.handle(call, readWorkOf(reads));
  context.status = response.httpStatus;
  if (!('read' in response)) return sendPieces(context, [await response.write(reply, paths[0])], charge);
  const { first, rest, mediaType } = await response.read(reply, { ...request, charge });
  if (mediaType !== undefined) context.type = mediaType;
  if (rest === undefined) return sendPieces(context, first, charge);
  return writeChunks(context, { first, rest }, charge);
}

function sendPieces(context: RequestContext, pieces: JsonPieces, charge: ResponseCharge): void {
  charge.keep(bytesOf(pieces));
  if (pieces.every((piece) => typeof piece === 'string')) context.body = pieces.join('');
  else writeWhole(context, pieces);
}
