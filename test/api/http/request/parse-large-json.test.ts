import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { scanJson } from '../../../../api/http/request/scan-json.ts';
import { parseLargeJson } from '../../../../api/http/request/parse-large-json.ts';
import { atOnce } from '../../../../platform/process/in-turns.ts';
import { casesOf } from '../../../support/tier.ts';

/** Returns the value of JSON.parse, or that it throws. */
function expected(body: Buffer): unknown {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown };
  } catch {
    return 'refused';
  }
}

function actual(body: Buffer): unknown {
  try {
    return { value: atOnce(parseLargeJson(body)) };
  } catch {
    return 'refused';
  }
}

/** Larger than a chunk, so that its container is built member by member. */
const filler = 'é"\\{[,]}'.repeat(10_000);
const large = JSON.stringify(filler);

const inPieces = fc.jsonValue({ maxDepth: 3 }).chain((value) =>
  fc.constantFrom(
    JSON.stringify([value, filler, value, value, { a: value, b: [filler, value, filler] }, value]),
    JSON.stringify({
      a: value,
      __proto__x: filler,
      c: { '': [filler, filler, value], z: value },
      d: value,
    }),
    ` { "a" : [ ${large} , ${JSON.stringify(value)} , ${large}, [] ] , "__proto__" : {} , "a" : [ ${large} , 1 ] } `,
    JSON.stringify([[[[filler, value], value], filler], filler]),
  ),
);

describe('a large body', () => {
  it('is parsed like JSON.parse for any content', () => {
    fc.assert(
      fc.property(inPieces, (text) => {
        const body = Buffer.from(text);
        expect(actual(body)).toEqual(expected(body));
      }),
      { numRuns: casesOf(60) },
    );
  });

  it('is rejected like JSON.parse when a byte is missing, repeated or changed', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      structural: fc.boolean(),
      byte: fc.constantFrom(
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '"',
        '\\',
        ' ',
        '1',
        '-',
        'x',
        '\u0000',
        'é',
        '\ufeff',
        '',
      ),
      remove: fc.nat(1),
    });
    fc.assert(
      fc.property(inPieces, change, (text, { at, structural, byte, remove }) => {
        const positions = structural ? [...text.matchAll(/[[\]{},:]/g)].map(({ index }) => index) : [];
        const index =
          positions.length > 0
            ? (positions[Math.floor(at * positions.length)] ?? 0)
            : Math.floor(at * text.length);
        const body = Buffer.from(`${text.slice(0, index)}${byte}${text.slice(index + remove)}`);
        expect(actual(body)).toEqual(expected(body));
      }),
      { numRuns: casesOf(300) },
    );
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['an open list', '['],
    ['a list that was never opened', ']'],
    ['two maps', '{}{}'],
    ['a large list that stays open', `[${large},${large}`],
    ['a comma before the end', `[${large},${large},]`],
    ['two commas', `[${large},,${large}]`],
    ['a list that ends as a map', `[${large},${large}}`],
    ['a list that ends twice', `[${large},${large}]]`],
    ['another list behind a large one', `[${large},${large}][]`],
    ['no comma behind a large list', `[[${large},${large}]1,${large}]`],
    ['no comma between large lists', `[[${large},${large}] [${large},${large}]]`],
    ['a sign before a large list', `[-[${large},${large}]]`],
    ['a sign before a large member', `{"a":-[${large},${large}]}`],
    ['a number before a large member', `{"a":1.5e[${large},${large}]}`],
    ['a value before a large member', `{"a":1[${large},${large}]}`],
    ['no comma behind a large member', `{"a":[${large},${large}]"b":1}`],
    ['a comma behind the last large member', `{"a":[${large},${large}],}`],
    ['no colon before a large list', `{"a" [${large},${large}]}`],
    ['no name before a large list', `{[${large},${large}]}`],
    ['a number as the name of a large list', `{1:[${large},${large}]}`],
    ['a letter before a large list', `x[${large},${large}]`],
    ['a byte order mark within', `[${large},\ufeff${large}]`],
    ['a list without brackets', `"a",${large}`],
  ])('is rejected for %s', (_fault, text) => {
    expect(actual(Buffer.from(text))).toBe('refused');
  });

  it('can begin with a byte order mark, like a small one', () => {
    const body = Buffer.from(`\ufeff[${large},${large}]`);
    expect(actual(body)).toEqual({ value: [filler, filler] });
  });

  it('is rejected with an invalid UTF-8 sequence', () => {
    const body = Buffer.concat([Buffer.from(`[${large},"`), Buffer.from([0xc3]), Buffer.from(`",${large}]`)]);
    expect(actual(body)).toBe('refused');
  });
});

describe('the scan of a body', () => {
  const suspicious = (text: string): boolean => atOnce(scanJson(Buffer.from(text))).suspicious;

  it.each<[string, string]>([
    ['a large exponent', '[1e999]'],
    ['a large negative number', '[-1E+309]'],
    ['a long number', `[${'9'.repeat(400)}]`],
    ['a long number with a short exponent', `[${'9'.repeat(250)}e99]`],
    ['U+0000', String.raw`["\u0000"]`],
    ['a surrogate behind a backslash', String.raw`["\\\ud800"]`],
    ['a surrogate in a name', String.raw`{"\uDFFF":1}`],
  ])('marks a body with %s as suspicious', (_part, text) => {
    expect(suspicious(text)).toBe(true);
  });

  it('marks every number that is not finite as suspicious', () => {
    const digits = (max: number) =>
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: max }).map((list) => list.join(''));
    fc.assert(
      fc.property(digits(330), digits(5), digits(4), (whole, fraction, exponent) => {
        const number = `${whole}.${fraction}e${exponent}`;
        if (!Number.isFinite(Number(number))) expect(suspicious(`[${number}]`)).toBe(true);
      }),
    );
  });

  it.each<[string, string]>([
    ['small numbers', '[true,1e5,0.25,-3]'],
    ['a number in a text', `["1e999","${'9'.repeat(400)}"]`],
    ['other escapes', String.raw`["\\u0000 \u0041"]`],
  ])('does not mark a body with %s as suspicious', (_part, text) => {
    expect(suspicious(text)).toBe(false);
  });
});
