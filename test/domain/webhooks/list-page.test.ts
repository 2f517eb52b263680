import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readPage, type PageCursor, type ScanReader } from '../../../domain/webhooks/list-page.ts';

/** Scans a sorted list of numbers. Examines at most `examined` of them, and omits odd ones when `filtered`. */
function reading(
  present: () => readonly number[],
  { examined = Infinity, filtered = false }: { examined?: number; filtered?: boolean } = {},
): ScanReader<number> {
  return async ({ backward, key, count }) => {
    const sorted = present().toSorted((left, right) => left - right);
    const from = key === undefined ? -Infinity : Number(key[0]);
    const ahead = backward
      ? sorted.filter((item) => item < from).toReversed()
      : sorted.filter((item) => item >= from);
    const scanned = ahead.slice(0, examined);
    const rows = scanned.filter((item) => !filtered || item % 2 === 0).slice(0, count);
    const edge = backward ? scanned.at(-1) : ahead[examined];
    const stopped = ahead.length > examined && edge !== undefined;
    return Promise.resolve({ rows, ...(stopped && { stoppedAt: [String(edge)] }) });
  };
}

const keyOf = (item: number) => [String(item)];

describe('paging a list', () => {
  it('returns each item once forward, and the same items backward', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(200), { maxLength: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 2, max: 12 }),
        fc.boolean(),
        async (items, limit, examined, filtered) => {
          const read = reading(() => items, filtered ? { examined, filtered } : {});
          const expected = items.filter((item) => !filtered || item % 2 === 0).toSorted((a, b) => a - b);
          const paged: number[] = [];
          let cursor: PageCursor | undefined;
          let back: PageCursor | undefined;
          do {
            const page = await readPage(cursor, limit, read, keyOf);
            expect(page.items.length).toBeLessThanOrEqual(limit);
            paged.push(...page.items);
            back = page.previous;
            cursor = page.next;
          } while (cursor !== undefined);
          expect(paged).toEqual(expected);
          const last = (await readPage(back && ['from', ...back.slice(1)], limit, read, keyOf)).items;
          const returned = [...last];
          while (back !== undefined) {
            const page = await readPage(back, limit, read, keyOf);
            returned.unshift(...page.items);
            back = page.previous;
          }
          expect(returned).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('neither skips nor repeats an unchanged item while others are inserted and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(200), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (staying, passing, limit) => {
          const guests = passing.filter((item) => !staying.includes(item));
          let present = [...staying];
          const read = reading(() => present);
          const paged: number[] = [];
          let cursor: PageCursor | undefined;
          let turn = 0;
          do {
            const page = await readPage(cursor, limit, read, keyOf);
            paged.push(...page.items.filter((item) => staying.includes(item)));
            cursor = page.next;
            turn += 1;
            present = [...staying, ...guests.filter((_, index) => (index + turn) % 2 === 0)];
          } while (cursor !== undefined);
          expect(paged).toEqual(staying.toSorted((left, right) => left - right));
        },
      ),
      { numRuns: 200 },
    );
  });
});
