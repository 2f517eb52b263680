import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { listResponse } from '../../../api/http/response/list.ts';
import type { PageReader } from '../../../api/http/response/page-reader.ts';
import { Cursors } from '../../../api/http/response/cursor.ts';
import { ReadBudget, readLimits } from '../../../api/http/response/read-budget.ts';

const path = '/v2/test/get';
const listing = listResponse(z.object({ id: z.int() }), { unpagedPaths: [] });

/** An endless list whose records each fill a chunk. */
const records: PageReader<{ id: number }> = async (after, { rows }) => {
  const id = Number(after?.[0] ?? 0) + 1;
  return { items: [{ id }], next: [id], cut: rows > 1 };
};

const cursors = async (): Promise<Cursors> => new Cursors(Buffer.alloc(32));

describe('a page that is sent while the read budget of its key is full', () => {
  it('ends after the chunks that were read, and its token continues there', async () => {
    const budget = new ReadBudget({ ...readLimits, waitMs: 20 });
    const charge = budget.chargeOf('key');
    const reading = { owner: 'key', path, data: { pageSize: 10 }, cursors, charge };
    const { first, rest } = await listing.read({ message: 'Done.', list: records }, reading);
    let body = first.join('');
    const parts = rest?.[Symbol.asyncIterator]();
    body += String((await parts?.next())?.value?.join(''));
    const other = budget.chargeOf('key');
    charge.keep(0);
    await other.reserve(budget.limits.ownerBytes);
    for (let part = await parts?.next(); part?.done === false; part = await parts?.next())
      body += part.value.join('');
    const { result } = JSON.parse(body) as { result: { data: { id: number }[]; nextPageToken: string } };
    expect(result.data).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await cursors()).read({ owner: 'key', path, filters: {} }, result.nextPageToken)).toEqual([2]);
  });
});
