import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../figure.ts';
import type { Bench } from '../run.ts';

const usersOfEach = 1_000;
const maxMilliseconds = 300;
const betweenLooks = 100;

/** Measures calls that request the deletion of the max number of users, while earlier deletions run. */
export const acceptDeletions: Bench = async (site, { quick, show, signal }) => {
  show('Requesting deletions …');
  const { id, steward } = await site.newKey();
  const calls = quick ? 50 : 300;
  const took: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    signal.throwIfAborted();
    const userIds = Array.from({ length: usersOfEach }, (_, n) => `deleted-${String(call)}-${String(n)}`);
    const began = performance.now();
    await steward.users.data.delete({ userIds });
    took.push(performance.now() - began);
  }
  for (let open = calls; open > 0;) {
    await pause(betweenLooks, undefined, { signal });
    const { rows } = await site.sql.query<{ open: number }>(
      'select count(*)::int as open from user_data_deletion where api_key_id = $1 and ended_at is null',
      [id],
    );
    open = rows[0]?.open ?? 0;
  }
  return [
    {
      name: `accepting a deletion of ${usersOfEach.toLocaleString('en-US')} users: p99 of ${String(calls)} calls`,
      unit: 'ms',
      steward: quantile(took, 0.99),
      target: { of: 'measured', is: 'at most', value: maxMilliseconds },
    },
  ];
};
