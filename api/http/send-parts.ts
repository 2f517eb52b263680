import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { JsonPieces } from './list-form.ts';
import { bytesOf, type ListParts } from './list.ts';
import type { ResponseCharge } from './read-budget.ts';

/** Resolves when the caller has taken what was written, or has gone. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Takes the listener of the event that did not come away again.
    waiting.abort();
  }
}

/**
 * Writes part after part as the caller takes them: the next one is read when the socket has taken the one before. A fault in
 * the middle destroys the connection: a cut response must not look whole.
 */
export async function sendParts(
  response: ServerResponse,
  { first, rest }: { readonly first: JsonPieces; readonly rest: NonNullable<ListParts['rest']> },
  charge: ResponseCharge,
): Promise<void> {
  const write = async (pieces: JsonPieces): Promise<void> => {
    if (response.destroyed) throw new Error('The caller went away.');
    charge.keep(bytesOf(pieces));
    for (const piece of pieces) if (piece.length > 0) response.write(piece);
    if (response.writableNeedDrain) await drained(response);
  };
  try {
    await write(first);
    for await (const pieces of rest) await write(pieces);
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}
