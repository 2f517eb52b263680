import { describe, expect, it } from '@jest/globals';
import { anOpenDatabase } from '../../support/open-database.ts';
import { lookupRow } from '../../support/raw-sql.ts';

const { orm } = await anOpenDatabase({ poolSize: 2 });

/** Returns another number with each query. */
const counting = `select nextval('event_id_seq')::text as number, $1::text as text, $2::bytea as bytes`;
const ask = async (text: unknown, bytes = Buffer.from('x')) =>
  lookupRow<{ number: string; text: string }>(orm.em, counting, [text, bytes]);
const numbers = (responses: readonly ({ number: string } | undefined)[]): number =>
  new Set(responses.map((response) => response?.number)).size;

describe('a lookup', () => {
  it('is sent once for all callers of an event-loop turn, and again for later callers', async () => {
    const together = await Promise.all(Array.from({ length: 20 }, async () => ask('the same')));
    expect(together[0]?.text).toBe('the same');
    expect(numbers(together)).toBe(1);
    expect(numbers([together[0], await ask('the same'), await ask('the same')])).toBe(3);
  });

  it('never returns the rows of another lookup', async () => {
    const texts = ['a', 'b', '"a"', 'a\n"b"', '61', ''];
    const calls = texts.flatMap((text) => [
      ask(text),
      ask(text, Buffer.from('y')),
      ask(text, Buffer.from(text)),
    ]);
    const responses = await Promise.all(calls);
    expect(responses.map((response) => response?.text)).toEqual(texts.flatMap((text) => [text, text, text]));
    expect(numbers(responses)).toBe(responses.length);
  });

  it('with values of other types is not deduplicated', async () => {
    expect(numbers(await Promise.all([ask(null), ask(null), ask(1), ask(1)]))).toBe(4);
  });

  it('that fails rejects for all its callers and for no other caller', async () => {
    const failing = async () => lookupRow(orm.em, 'select 1 / $1::int', ['0']);
    const ends = await Promise.allSettled([failing(), ask('beside'), failing()]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  });
});
