import { mebibyte } from '../../../platform/units.ts';
import type { PageLimit } from '../../../domain/page-limit.ts';
import type { ResponseCharge } from './read-budget.ts';

/** First reservation of a read. A larger one follows only if needed, so that small responses do not wait for large ones. */
const firstBytes = mebibyte;

/** Max record size of most kinds. Every chunk reserves at least this. */
const usualRecordBytes = 327_680;

/** Reserves the whole limit of a key, for one record that is larger than a page. */
const largestRecord = Number.MAX_SAFE_INTEGER;

/** Reads one response within 1 MiB and, if that cuts it, again within `maxBytes`. */
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

/** Reads a chunk of at most `bytes`, or a single record of at most `largest` when the first one exceeds `bytes`. */
export async function readChunk<Chunk extends { readonly items: readonly unknown[]; readonly cut: boolean }>(
  charge: ResponseCharge,
  { rows, bytes }: Pick<PageLimit, 'rows' | 'bytes'>,
  read: (limit: PageLimit) => Promise<Chunk>,
  largest = largestRecord,
): Promise<Chunk> {
  const aloneBytes = Math.min(largest, Math.max(bytes, usualRecordBytes));
  await charge.reserve(aloneBytes);
  const chunk = await read({ rows, bytes, aloneBytes });
  if (!chunk.cut || chunk.items.length > 0 || aloneBytes === largest) return chunk;
  await charge.reserve(largest);
  const alone = await read({ rows: 1, bytes, aloneBytes: largest });
  if (alone.cut && alone.items.length === 0 && largest === largestRecord)
    throw new Error('page reader returned no record within an unlimited size');
  return { ...alone, cut: true };
}
