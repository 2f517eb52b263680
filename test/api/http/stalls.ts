import { expect } from '@jest/globals';
import type { TestApi } from '../../support/api.ts';
import type { Response } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, calledThrough, aTenant, freshId, withActivityLogs } from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { allRows } from '../../support/rows.ts';

/** Connections of the process. Three quarters of them serve one key: one per call that stalls in its transaction. */
const poolSize = 8;

/** Sessions of the process that are idle in transaction. */
const idleSessions = `from pg_stat_activity
  where datname = current_database() and application_name = 'steward' and state like 'idle in transaction%'`;

/**
 * Stops an API process while calls of every kind are in their transactions, waits until `ended` sees their sessions
 * ended, and resumes it. Expects UNAVAILABLE for each call, none of their rows, and normal service afterwards.
 */
export async function stallMidway(
  api: TestApi,
  ended: (idleSessions: string) => Promise<void>,
): Promise<void> {
  const stalled = await startProcess('api', api.database.url, { DATABASE_POOL_SIZE: String(poolSize) });
  try {
    const caller = await withActivityLogs(calledThrough(stalled, await aTenant(api)));
    const document = await aDocument(caller);
    const { organizationId } = document;
    const organizations = [{ organizationId, organizationName: 'written' }];
    const earlier = [{ organizationId, organizationName: 'earlier' }];
    const activity = { featureType: 'comment', actionType: 'x', actionUser: { userId: 'u1' } };
    const once = { idempotencyKey: freshId('key') };
    // The first call with an Idempotency-Key creates the HMAC key of the hashes.
    await caller.ok('/v2/organizations/add', { organizations: earlier }, { idempotencyKey: freshId('key') });
    const before = await allRows(api.database);
    const blocker = await api.database.connect();
    await blocker.query('begin');
    await blocker.query('select from organization where ext_id = $1 for update', [organizationId]);
    const calls = [
      caller.call('/v2/organizations/update', { organizations }),
      caller.call('/v2/organizations/update', { organizations }, once),
      caller.call('/v2/activities/add', { ...document, activities: [activity] }),
      caller.call('/v2/activities/add', { ...document, createDocument: true, activities: [activity] }),
      caller.call('/v2/organizations/documents/migrate', { ...document, newDocumentId: 'elsewhere' }),
      caller.call('/v2/users/add', { ...document, users: [{ userId: 'u2' }] }),
    ];
    await eventually(() => sessions(api, `wait_event_type = 'Lock'`, calls.length));
    process.kill(stalled.pid, 'SIGSTOP');
    await blocker.query('rollback');
    // Two calls lock one row: the second waits for the first until its statement times out.
    await eventually(() => sessions(api, `state like 'idle in transaction%'`, calls.length));
    await ended(idleSessions);
    process.kill(stalled.pid, 'SIGCONT');
    const resumed = performance.now();
    await eventually(async () => expect((await caller.call('/v2/organizations/get', {})).status).toBe(200));
    // The documented limit is 2 s. The rest is slack for a busy machine.
    expect(performance.now() - resumed).toBeLessThan(20_000);
    expect((await Promise.all(calls)).map(seen)).toEqual(calls.map(() => [503, 'UNAVAILABLE', '1']));
    expect(await allRows(api.database)).toEqual(before);
    expect(stalled.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
    const repeated = await caller.call('/v2/organizations/update', { organizations }, once);
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await stalled.stop()).toBe(0);
  } finally {
    await stalled.kill();
  }
}

const seen = ({ status, body, headers }: Response) => [status, body.error?.status, headers['retry-after']];

async function sessions(api: TestApi, condition: string, count: number): Promise<boolean> {
  const found = await api.database.sql(
    `select from pg_stat_activity where datname = current_database() and application_name = 'steward' and ${condition}`,
  );
  return found.length === count;
}
