import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { listAnswer, type PageReader } from '../../../api/http/answer.ts';
import { Cursors } from '../../../api/http/response/cursor.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { listBody } from '../../../api/http/response/list.ts';
import { ReadBudget } from '../../../api/http/response/read-budget.ts';

const path = '/v2/test/get';
const listing = endpoint({
  paths: [path],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists records.',
  data: z.strictObject({}),
  answer: listAnswer(z.object({ id: z.int() }), { everythingOn: [] }),
  errors: [],
  example: {},
  handle: async () => ({ message: 'Done.', list: [] }),
});

/** Endless records of which each fills a part. */
const records: PageReader<{ id: number }> = async (after, { rows }) => {
  const id = Number(after?.[0] ?? 0) + 1;
  return { items: [{ id }], next: [id], cut: rows > 1 };
};

const cursors = async (): Promise<Cursors> => new Cursors(Buffer.alloc(32));

describe('a page that is being sent when the budget of its key is full', () => {
  it('ends with the parts that were read, and its token reads on behind them', async () => {
    const budget = new ReadBudget({ waitMs: 20 });
    const charge = budget.chargeOf('key');
    const context = { paging: { pageSize: 10 }, scope: { owner: 'key', path, filters: {} }, cursors, charge };
    const { first, rest } = await listBody(listing, { message: 'Done.', list: records }, context);
    let body = first.join('');
    const parts = rest?.[Symbol.asyncIterator]();
    body += String((await parts?.next())?.value?.join(''));
    const other = budget.chargeOf('key');
    charge.keep(0);
    await other.reserve(budget.limits.keyBytes);
    for (let part = await parts?.next(); part?.done === false; part = await parts?.next())
      body += part.value.join('');
    const { result } = JSON.parse(body) as { result: { data: { id: number }[]; nextPageToken: string } };
    expect(result.data).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await cursors()).read(context.scope, result.nextPageToken)).toEqual([2]);
  });
});
