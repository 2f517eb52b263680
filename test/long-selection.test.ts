import { describe, expect, it } from '@jest/globals';
import { longSelection } from './run/long-selection.ts';
import { sourcePaths } from './support/source-files.ts';

describe('the selection of npm run test:long', () => {
  it('names test files', async () => {
    const paths = await sourcePaths(['test'], /\.test\.ts$/);
    const missing = longSelection.filter((part) => !paths.some((path) => new RegExp(part).test(path)));
    expect(missing).toEqual([]);
  });
});
