import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ExtendableContext } from 'koa';
import type { RequestContext } from '../middleware/state.ts';
import { bytesOf, type JsonPieces } from './list-form.ts';
import type { ResponseCharge } from './read-budget.ts';
import type { ResponseChunks } from './response-kind.ts';
import { callerClosed } from './transport-error.ts';

/*
 * Operations that Koa has no API for: write `100 Continue`, observe the end of a response, write it in chunks. No other
 * module uses `context.res`.
 */

/** Writes `100 Continue`. */
export function sendContinue({ res }: ExtendableContext): void {
  res.writeContinue();
}

/** Returns whether the response was sent or its connection closed. */
export const isClosed = ({ res }: ExtendableContext): boolean => res.closed;

/** Runs `action` once the response was sent or its connection closed; immediately if it already is. */
function whenClosed({ res, socket }: ExtendableContext, action: () => void): void {
  if (res.closed) {
    action();
    return;
  }
  if (res.socket !== null) {
    res.once('close', action);
    return;
  }
  // Node emits no `close` on a response that waits for an earlier one when their connection closes.
  const close = (): void => {
    socket.off('close', close);
    res.off('close', close);
    action();
  };
  res.once('close', close);
  socket.once('close', close);
}

/**
 * Runs `action` once the middleware has ended, and the response was sent or its connection closed. Both: a call whose
 * caller closes the connection goes on, with its body and its rows in memory.
 */
export function whenFinished(context: RequestContext, action: () => void): void {
  let pending = 2;
  const end = (): void => {
    pending -= 1;
    if (pending === 0) action();
  };
  whenClosed(context, end);
  const { state } = context;
  state.whenHandled ??= [];
  state.whenHandled.push(end);
}

/** Runs what `whenFinished` waits for. Call it when the middleware has ended. */
export function endHandling({ state }: RequestContext): void {
  const { whenHandled } = state;
  state.whenHandled = undefined;
  for (const end of whenHandled ?? []) end();
}

/**
 * Returns a signal that aborts if the caller closes the connection, or its half of it, before the response is written. The
 * two cannot be distinguished until the response is sent.
 */
export function callerGoneSignal(context: ExtendableContext): AbortSignal {
  const { res, socket } = context;
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  if (socket.readableEnded) abort();
  socket.once('end', abort);
  whenClosed(context, () => {
    socket.off('end', abort);
    if (!res.writableFinished) abort();
  });
  return gone.signal;
}

/** Writes a whole response in pieces. Joining them would copy large ones for each response. */
export function writeWhole(context: ExtendableContext, pieces: JsonPieces): void {
  context.length = bytesOf(pieces);
  const { res } = context;
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

/**
 * Max bytes of one write. A response that needs no drain buffers less than 64 KiB, so that with one write, and its header of
 * a chunk, a socket buffers at most 256 KiB.
 */
const maxWriteBytes = 184_320;

/** Divides a piece into writes. */
function* writesOf(piece: string | Buffer): Generator<string | Buffer> {
  if (Buffer.byteLength(piece) <= maxWriteBytes) {
    yield piece;
    return;
  }
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  for (let from = 0; from < bytes.length; from += maxWriteBytes)
    yield bytes.subarray(from, from + maxWriteBytes);
}

/**
 * Writes chunk by chunk and counts the bytes in `state`. The next chunk is read once the socket has taken the previous one.
 * An error destroys the connection, so that a cut response does not look complete. Without chunks, as in HTTP/1.0, only a
 * reset shows that.
 */
export async function writeChunks(
  { res, state }: Pick<RequestContext, 'res' | 'state'>,
  { first, rest }: { readonly first: JsonPieces; readonly rest: NonNullable<ResponseChunks['rest']> },
  charge: ResponseCharge,
): Promise<void> {
  const write = async (pieces: JsonPieces): Promise<void> => {
    if (res.destroyed) throw callerClosed();
    const bytes = bytesOf(pieces);
    charge.keep(bytes);
    state.streamedBytes = (state.streamedBytes ?? 0) + bytes;
    for (const piece of pieces)
      for (const part of writesOf(piece)) {
        if (part.length > 0) res.write(part);
        if (res.writableNeedDrain) await drained(res);
        if (res.destroyed) throw callerClosed();
      }
  };
  try {
    await write(first);
    for await (const pieces of rest) await write(pieces);
    res.end();
  } catch (error) {
    if (res.chunkedEncoding) res.destroy();
    else res.socket?.resetAndDestroy();
    throw error;
  }
}

/** Resolves when the socket has drained or closed. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Removes the listener of the other event.
    waiting.abort();
  }
}
