import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as SequencerModule from '@jest/test-sequencer';

// Its default export as a module of either kind is not the one that its types declare.
const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof SequencerModule.default;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Walks of all operations and files that wait for processes: none may be left for the end, when other workers are idle. */
const slowest = [
  'test/workflows/',
  'test/secrets-and-content',
  'test/api/examples',
  'test/api/hostile-input',
  'test/api/statement-counts',
  'test/api/folders-scale',
  'test/api/http/routes',
  'test/linear/',
  'test/start',
  'test/docs/',
  'test/attacks/',
  'test/cli/',
  'test/testing/',
  'test/local/',
];

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

const rank = ({ path }: { readonly path: string }): number => {
  const found = slowest.findIndex((start) => relative(root, path).startsWith(start));
  return found === -1 ? slowest.length : found;
};

/** Jest's order (failed first, then by the time of earlier runs) where it knows one; a fresh clone starts with the slowest. */
export default class SlowestFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    const sorted = super.sort(tests) as Tests;
    return sorted.some(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
