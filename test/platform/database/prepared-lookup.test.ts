import { describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { PreparedLookup } from '../../../platform/database/prepared-lookup.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { anOpenDatabase } from '../../support/open-database.ts';

const { orm } = await anOpenDatabase({ poolSize: 2 });

const TextsRow = z.strictObject({ first: z.string(), second: z.string() });

describe('a prepared lookup', () => {
  it('is built once, and returns the rows of its parameters in and outside a transaction', async () => {
    let built = 0;
    const texts = new PreparedLookup(TextsRow, (first: string, second: string) => {
      built += 1;
      return sql`select ${first}::text as first, ${second}::text as second`;
    });
    const [one, other, inside] = await Promise.all([
      texts.rows(orm.em, 'a', 'b'),
      texts.rows(orm.em, 'b', 'a'),
      inTransaction(orm, async (em) => texts.rows(em, 'c', 'd')),
    ]);
    expect(one).toEqual([{ first: 'a', second: 'b' }]);
    expect(other).toEqual([{ first: 'b', second: 'a' }]);
    expect(inside).toEqual([{ first: 'c', second: 'd' }]);
    expect(built).toBe(1);
  });

  it.each([
    ['in another order', (first: string, second: string) => sql`select ${second}, ${first}`],
    ['twice', (first: string, second: string) => sql`select ${first}, ${second}, ${first}`],
    ['not at all', (first: string) => sql`select ${first}`],
  ])('is refused when its statement uses a parameter %s', async (_, statement) => {
    const rows = new PreparedLookup(TextsRow, statement).rows(orm.em, 'a', 'b');
    await expect(rows).rejects.toThrow('the statement does not use its parameters in order');
  });
});
