import { describe, expect, it } from '@jest/globals';
import { applied, neverOnInput } from './expressions.ts';
import { expectLinear, longest, timeOf } from './growth.ts';
import { sourceExpressions } from './source-expressions.ts';

const listed = [
  ...applied.map(({ file, expression }) => `${file} ${String(expression)}`),
  ...Object.entries(neverOnInput).flatMap(([file, expressions]) =>
    Object.keys(expressions).map((written) => `${file} ${written}`),
  ),
];

/** Units and endings of adversarial texts, which an expression matches far before it fails. */
const units = [
  'a',
  'Z',
  '0',
  ' ',
  '\n',
  '-',
  '.',
  '/',
  '+',
  '=',
  '"',
  '\\',
  '{',
  '<',
  '@',
  '\u0000',
  '🦊',
  ' a',
];
const tails = ['', '!', '\n', ' x'];

/** Applies an expression like the product: once, or throughout the text. */
function apply(expression: RegExp, text: string): void {
  if (!expression.global) {
    expression.test(text);
    return;
  }
  let count = 0;
  for (const match of text.matchAll(expression)) count += match.length;
  expect(count).toBeGreaterThanOrEqual(0);
}

describe('regular expressions', () => {
  it('of the source are all listed with the reason why they are linear or never see input', async () => {
    const found = await sourceExpressions();
    expect(found.length).toBeGreaterThan(50);
    const written = [...new Set(found.map((one) => `${one.file} ${one.written}`))];
    expect(written.sort()).toEqual([...new Set(listed)].sort());
  });

  it('that are quadratic are detected', () => {
    let steps = 100_000_000;
    const quadratic = (length: number) => () => {
      let sum = 0;
      for (let step = 0; step < steps * (length / longest) ** 2; step += 1) sum += step % 7;
      expect(sum).toBeGreaterThan(0);
    };
    // Durations of a fast machine would be noise. This also compiles the loop before it is measured.
    while (timeOf(quadratic(longest)) < 200) steps *= 1.5;
    const isDetected = (): boolean => {
      try {
        expectLinear(quadratic);
        return false;
      } catch (error) {
        expect(String(error)).toContain('toBeLessThanOrEqual');
        return true;
      }
    };
    // A measurement passes when the machine disturbs that of half the length alone.
    expect([1, 2, 3, 4, 5].some(isDetected)).toBe(true);
  });

  it.each(applied)('$expression of $file is linear', ({ expression, heads = [], units: own = [] }) => {
    for (const head of ['', ...heads]) {
      for (const unit of [...units, ...own]) {
        for (const tail of tails) {
          expectLinear((length) => {
            const room = length - head.length - tail.length;
            const text = `${head}${unit.repeat(Math.ceil(room / unit.length))}${tail}`;
            return () => apply(expression, text);
          });
        }
      }
    }
  });
});
