import { it } from '@jest/globals';

/** Whether this is `npm run test:long`, in which tests run at full size. */
export const inFull = process.env['STEWARD_LONG_TESTS'] === 'on';

/** `it` in `npm run test:long`, and a skip in `npm test`, where another test of the file is the short form. */
export function itInFull(name: string, test: () => Promise<void>): void {
  // Looked up at each call, because each test file has its own `it` and this module is loaded once.
  (inFull ? it : it.skip)(name, test);
}

/** Random cases of a property: all of them in `npm run test:long`, a sixth in `npm test`. */
export const casesOf = (number: number): number => (inFull ? number : Math.ceil(number / 6));

/**
 * Skips the cases of a property that begin later than `limitMs` after the first one. Unlike fast-check's own limit, it
 * does not fail a machine that is too slow for one case.
 */
export function forAtMost<Given extends unknown[]>(
  limitMs: number,
  check: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  let until: number | undefined;
  return async (...given) => {
    until ??= performance.now() + limitMs;
    if (performance.now() < until) await check(...given);
  };
}
