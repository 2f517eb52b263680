import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ExtendableContext } from 'koa';
import { bytesOf, type JsonPieces } from './list-form.ts';
import type { ResponseCharge } from './read-budget.ts';
import type { ResponseChunks } from './response-kind.ts';

/*
 * What Koa cannot do with a response: ask for its request's body, report its end, and write it part after part. No other
 * module touches `context.res`.
 */

/** Writes `100 Continue`. */
export function askForBody({ res }: ExtendableContext): void {
  res.writeContinue();
}

/** Whether the response has been sent, or can no longer be. */
export const isClosed = ({ res }: ExtendableContext): boolean => res.closed;

/** Runs `action` once the response has been sent or its connection is closed; at once where it is so already. */
export function whenClosed({ res, socket }: ExtendableContext, action: () => void): void {
  if (res.closed) {
    action();
    return;
  }
  if (res.socket !== null) {
    res.once('close', action);
    return;
  }
  // Node does not tell a response that waits for an earlier one on its connection that the connection has closed.
  const close = (): void => {
    socket.off('close', close);
    res.off('close', close);
    action();
  };
  res.once('close', close);
  socket.once('close', close);
}

/** Aborts when the connection closes before the response has been written. */
export function callerGone(context: ExtendableContext): AbortSignal {
  const gone = new AbortController();
  whenClosed(context, () => {
    if (!context.res.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Writes a whole response in its pieces: joined, large ones would be copied for each response. */
export function writeWhole(context: ExtendableContext, pieces: JsonPieces): void {
  context.length = bytesOf(pieces);
  const { res } = context;
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

/**
 * Writes part after part as the caller takes them: the next one is read when the socket has taken the one before. A fault in
 * the middle destroys the connection: a cut response must not look whole.
 */
export async function writeChunks(
  { res }: ExtendableContext,
  { first, rest }: { readonly first: JsonPieces; readonly rest: NonNullable<ResponseChunks['rest']> },
  charge: ResponseCharge,
): Promise<void> {
  const write = async (pieces: JsonPieces): Promise<void> => {
    if (res.destroyed) throw new Error('The caller went away.');
    charge.keep(bytesOf(pieces));
    for (const piece of pieces) if (piece.length > 0) res.write(piece);
    if (res.writableNeedDrain) await drained(res);
  };
  try {
    await write(first);
    for await (const pieces of rest) await write(pieces);
    res.end();
  } catch (error) {
    res.destroy();
    throw error;
  }
}

/** Resolves when the caller has taken what was written, or has gone. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Removes the listener of the event that did not occur.
    waiting.abort();
  }
}
