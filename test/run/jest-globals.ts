import type * as Globals from '@jest/globals';

/** The globals that test files import from `@jest/globals`. */
export type JestGlobals = typeof Globals;

export let afterAll: JestGlobals['afterAll'];
export let afterEach: JestGlobals['afterEach'];
export let beforeAll: JestGlobals['beforeAll'];
export let beforeEach: JestGlobals['beforeEach'];
export let describe: JestGlobals['describe'];
export let expect: JestGlobals['expect'];
export let it: JestGlobals['it'];

/** Called by Jest's test runner before it loads a test file. */
export function keepGlobals(globals: JestGlobals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } = globals);
}
