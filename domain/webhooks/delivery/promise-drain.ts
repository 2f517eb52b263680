import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy } from '../../../platform/database/statements.ts';
import { sinceLastAttempt } from './record.ts';
import type { Destination } from './resolve.ts';
import type { TurnState } from './turn-state.ts';

/**
 * A turn continues to poll for `cold` after its first batch, if the endpoint had an attempt within `lately`, and for
 * `hot` after later batches.
 */
const timesMs = { cold: 250, lately: 2_000, hot: 1_000 } as const;

/**
 * Call it after a batch was claimed. Promises in `webhook_drain` to keep polling, and returns the promise's end on the clock
 * of `performance.now()`. An endpoint without recent attempts gets no promise.
 */
export async function promiseDrain(
  em: EntityManager,
  destination: Destination,
  { hasClaimed, promisedUntil }: Pick<TurnState, 'hasClaimed' | 'promisedUntil'>,
): Promise<number> {
  if (!hasClaimed) {
    const since = await sinceLastAttempt(em, destination);
    if (since === undefined || since > timesMs.lately) return promisedUntil;
  }
  const span = hasClaimed ? timesMs.hot : timesMs.cold;
  if (promisedUntil - performance.now() > span / 2) return promisedUntil;
  await changedBy(
    em,
    sql`insert into webhook_drain (endpoint_id, api_key_id, draining_until)
      values (${destination.id}, ${destination.tenantId}, clock_timestamp() + ${span} * interval '1 millisecond')
      on conflict (endpoint_id) do update set draining_until = excluded.draining_until`,
  );
  return performance.now() + span;
}
