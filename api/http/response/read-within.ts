import { mebibyte, type PageLimit } from '../../../domain/page-limit.ts';
import type { ResponseCharge } from './read-budget.ts';

/**
 * What a read asks for first: nearly all responses are smaller. Only where it is not enough is room for a larger one waited
 * for, so that a small response waits for no large ones.
 */
const firstBytes = mebibyte;

/** Bytes of the largest record of most kinds, which is read with any part. */
const usualRecord = 327_680;

/** Room for one record that is larger than a page: the whole share of a key. */
const largestRecord = Number.MAX_SAFE_INTEGER;

/** Reads what is one response, small at first and, when bytes have cut that, again with up to `maxBytes`. */
export async function readWithin<Result>(
  charge: ResponseCharge,
  { rows, bytes: maxBytes }: Pick<PageLimit, 'rows' | 'bytes'>,
  read: (limit: PageLimit) => Promise<Result>,
  isCut: (result: Result) => boolean,
): Promise<Result> {
  const bytes = Math.min(firstBytes, maxBytes);
  await charge.reserve(bytes);
  const first = await read({ rows, bytes, aloneBytes: bytes });
  if (!isCut(first)) return first;
  await charge.reserve(maxBytes);
  return read({ rows, bytes: maxBytes, aloneBytes: largestRecord });
}

/** Reads a part of a response: at most `bytes`, or one record of at most `largest` when the first one is larger. */
export async function readChunk<Part extends { readonly items: readonly unknown[]; readonly cut: boolean }>(
  charge: ResponseCharge,
  { rows, bytes }: Pick<PageLimit, 'rows' | 'bytes'>,
  read: (limit: PageLimit) => Promise<Part>,
  largest = largestRecord,
): Promise<Part> {
  const aloneBytes = Math.min(largest, Math.max(bytes, usualRecord));
  await charge.reserve(aloneBytes);
  const part = await read({ rows, bytes, aloneBytes });
  if (!part.cut || part.items.length > 0 || aloneBytes === largest) return part;
  await charge.reserve(largest);
  const alone = await read({ rows: 1, bytes, aloneBytes: largest });
  if (alone.cut && alone.items.length === 0 && largest === largestRecord)
    throw new Error('A page reader returned no record, whatever room there was.');
  return { ...alone, cut: true };
}
