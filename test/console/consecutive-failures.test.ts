import { expect, it } from '@jest/globals';
import { consecutiveFailures } from '../../console/source/session/consecutive-failures.ts';

it('counts the failures of a query since its last success, not all of them', () => {
  const query = { state: { status: 'pending', errorUpdateCount: 0 } };
  const after = (...outcomes: readonly ('error' | 'pending' | 'success')[]): readonly number[] =>
    outcomes.map((status) => {
      query.state = { status, errorUpdateCount: query.state.errorUpdateCount + (status === 'error' ? 1 : 0) };
      return consecutiveFailures(query);
    });
  expect(after('error', 'error', 'success', 'error', 'success', 'error', 'error')).toEqual([
    1, 2, 0, 1, 0, 1, 2,
  ]);
  expect(after('success', 'error', 'pending', 'error', 'pending', 'error').at(-1)).toBe(3);
  expect(consecutiveFailures({ state: { status: 'error', errorUpdateCount: 3 } })).toBe(3);
});
