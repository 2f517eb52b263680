import { describe, expect, it } from '@jest/globals';
import { anOpenDatabase } from '../../support/open-database.ts';
import { row } from '../../support/raw-sql.ts';

const { orm } = await anOpenDatabase({ plansOnce: true });

const echoed = async (type: string, value: unknown): Promise<unknown> =>
  (await row<{ value: unknown }>(orm.em, `select $1::${type} as value`, [value]))?.value;

describe('a parameter', () => {
  it('reaches PostgreSQL unchanged with any characters', async () => {
    for (const text of [
      '',
      'plain',
      '"quoted"',
      '\\',
      '{a,b}',
      'NULL',
      'null',
      ' ',
      "'",
      'é🙂\n\t',
      '\\x41',
    ]) {
      expect(await echoed('text', text)).toBe(text);
      expect(await echoed('text[]', [text, null, text])).toEqual([text, null, text]);
      expect(await echoed('jsonb', { [text]: [text] })).toEqual({ [text]: [text] });
      expect(await echoed('json[]', [JSON.stringify({ text })])).toEqual([{ text }]);
    }
  });

  it('reaches PostgreSQL unchanged in a list with any other text', async () => {
    const texts = [
      'plain',
      '',
      'null',
      'NULL',
      '{"a":"b"}',
      'C:\\n',
      'a"\\',
      '{,}',
      '\n',
      '\u2028é🙂',
      '\u007f',
    ];
    const lists = texts.flatMap((one) => texts.map((other) => [one, null, other]));
    for (const list of [...lists, texts, ['x"'.repeat(200), 'y\t"'.repeat(200), undefined]]) {
      const received = list.map((text) => text ?? null);
      expect(await echoed('text[]', list)).toEqual(received);
      expect(await echoed('text[]', [list, list])).toEqual([received, received]);
    }
    expect(await echoed('text[]', ['\ud800', 'a"'])).toEqual(['\ufffd', 'a"']);
  });

  it('may be a list of numbers of any size and sign, or of numbers and null', async () => {
    expect(await echoed('bigint[]', [Number.MAX_SAFE_INTEGER, -1, -0, null, undefined])).toEqual([
      '9007199254740991',
      '-1',
      '0',
      null,
      null,
    ]);
    const numbers = [0.1, -1.5, 1e21, 5e-324, Number.MAX_VALUE, NaN, Infinity, -Infinity];
    expect(await echoed('float8[]', numbers)).toEqual(numbers);
    expect(await echoed('float8[]', [0.5, 1e-7])).toEqual([0.5, 1e-7]);
  });

  it('may be a number, a boolean, bytes, a time, null or a list of them', async () => {
    const bytes = Buffer.from([0, 0x5c, 0x22, 0x7b, 255]);
    expect(await echoed('int', 7)).toBe(7);
    expect(await echoed('bigint', 9_007_199_254_740_993n)).toBe('9007199254740993');
    expect(await echoed('boolean[]', [true, false, null])).toEqual([true, false, null]);
    expect(await echoed('int', null)).toBeNull();
    expect(await echoed('int', undefined)).toBeNull();
    expect(await echoed('bytea', bytes)).toEqual(bytes);
    expect(await echoed('bytea', new Uint8Array(bytes))).toEqual(bytes);
    expect(await echoed('bytea[]', [bytes, Buffer.alloc(0)])).toEqual([bytes, Buffer.alloc(0)]);
    expect(await echoed('int[]', [])).toEqual([]);
    expect(
      await echoed('int[]', [
        [1, 2],
        [3, 4],
      ]),
    ).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(await echoed("timestamptz at time zone 'UTC'", new Date(0))).toMatch(/^1970-01-01 00:00:00/);
  });
});

describe('a statement', () => {
  it('returns rows of the same shape in its first and later executions', async () => {
    const read = (n: number) =>
      row<object>(
        orm.em,
        `select g as n, null::text as nothing, '{"a":1}'::jsonb as json, g::bigint as big
        from generate_series(1, $1::int) g order by g desc limit 1`,
        [n],
      );
    for (const n of [1, 2, 3])
      expect(await read(n)).toEqual({ n, nothing: null, json: { a: 1 }, big: String(n) });
    expect(await read(0)).toBeUndefined();
  });

  it('that fails leaves the connection usable, whether prepared before or not', async () => {
    const half = (n: number) => row<{ half: number }>(orm.em, 'select 10 / $1::int as half', [n]);
    await expect(half(0)).rejects.toMatchObject({ code: '22012' });
    expect(await half(2)).toEqual({ half: 5 });
    await expect(half(0)).rejects.toMatchObject({ code: '22012' });
    await expect(row(orm.em, 'select no_such_column where $1', [true])).rejects.toMatchObject({
      code: '42703',
    });
    await expect(row(orm.em, 'select no_such_column where $1', [true])).rejects.toMatchObject({
      code: '42703',
    });
    expect(await half(5)).toEqual({ half: 2 });
  });
});
