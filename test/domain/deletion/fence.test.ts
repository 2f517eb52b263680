import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { lockUsers, refuseFencedUsers } from '../../../domain/users/lock-users.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  activities,
  aDocument,
  calledThrough,
  aTenant,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { row } from '../../support/raw-sql.ts';
import { inFull } from '../../support/tier.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await withActivityLogs(await aTenant(api));
});
afterAll(() => api.close());

/** A writer with an open transaction that has named the user. */
async function aWriter(userId: string) {
  const client = await api.database.connect();
  await client.query('begin');
  await client.query('select 1 from app_user where api_key_id = $1 and ext_id = $2 for key share', [
    tenant.id,
    userId,
  ]);
  return { commit: async () => client.query('commit').then(() => client.end()) };
}

const named = async (userIds: readonly string[], organization: string | null = null) =>
  inTransaction(api.orm, async (em) =>
    refuseFencedUsers(
      em,
      await lockUsers(em, tenant, userIds),
      organization === null ? null : [organization],
    ),
  );

const phaseOf = async (jobId: string): Promise<number | null | undefined> =>
  (
    await api.database.sql<{ phase: number | null }>(
      'select phase from user_data_deletion where job_id = $1',
      [jobId],
    )
  )[0]?.phase;

describe('the write fence of a user', () => {
  it('rejects new writers and completes only after earlier writers have ended', async () => {
    await named(['ada', 'grace']);
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada', 'grace'] });
    const writers = [await aWriter('ada'), await aWriter('grace')];
    let closed = false;
    const closing = whole(fenceUsers(api.orm, deletion)).then((response) => (closed = response));
    await eventually(async () => (await phaseOf(deletion.jobId)) === 1);
    await expect(named(['ada'])).rejects.toMatchObject({
      status: 'FAILED_PRECONDITION',
      details: { userIds: ['ada'], jobId: deletion.publicId },
    });
    await writers[0]?.commit();
    await expect(named(['grace', 'someone'])).rejects.toMatchObject({ details: { userIds: ['grace'] } });
    expect(closed).toBe(false);
    await writers[1]?.commit();
    expect(await closing).toBe(true);
    expect(await phaseOf(deletion.jobId)).toBe(2);
  });

  it('rejects a writer whose transaction began before it, whatever the default isolation level', async () => {
    await named(['ada']);
    const database = new URL(api.database.directUrl).pathname.slice(1);
    const level = `alter role session_user in database ${database} set default_transaction_isolation`;
    await api.database.sql(`${level} = 'repeatable read'`);
    const other = openDatabase({
      url: api.database.directUrl,
      poolSize: 1,
      statementTimeoutMs: 10_000,
      plansOnce: true,
      entities: [],
    });
    try {
      const [begun, fenced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const writing = inTransaction(other.orm, async (em) => {
        await row(em, 'select $1::bigint as id', [tenant.id]);
        begun.resolve();
        await fenced.promise;
        await refuseFencedUsers(em, await lockUsers(em, tenant, ['ada']), null);
      });
      const refused = expect(writing).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
      await begun.promise;
      const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
      await whole(fenceUsers(api.orm, deletion));
      fenced.resolve();
      await refused;
    } finally {
      await other.close();
      await api.database.sql(`${level} = 'read committed'`);
    }
  });

  it('completes even while other transactions lock the user without interruption', async () => {
    await named(['ada']);
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'], organizationIds: ['elsewhere'] });
    let writer = await aWriter('ada');
    const closing = whole(fenceUsers(api.orm, deletion));
    const closed = new AbortController();
    void closing.finally(() => closed.abort());
    await eventually(async () => (await phaseOf(deletion.jobId)) === 1);
    // From here on some transaction always locks the row.
    while (!closed.signal.aborted) {
      const next = await aWriter('ada');
      await writer.commit();
      writer = next;
    }
    expect(await closing).toBe(true);
    await writer.commit();
  });

  it('is idempotent after any interruption', async () => {
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
    const writer = await aWriter('ada');
    const interrupted = fenceUsers(api.orm, deletion);
    await interrupted.next();
    await interrupted.return(false);
    const closing = whole(fenceUsers(api.orm, deletion));
    await writer.commit();
    expect(await closing).toBe(true);
    expect(await whole(fenceUsers(api.orm, deletion))).toBe(true);
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await whole(fenceUsers(api.orm, deletion))).toBe(false);
  });

  it('continues after another deletion removes the user’s row, and covers a row that is created afterwards', async () => {
    await named(['ada']);
    const [first, second, third] = [
      await begunDeletion(api, tenant, { userIds: ['ada'] }),
      await begunDeletion(api, tenant, { userIds: ['ada'] }),
      await begunDeletion(api, tenant, { userIds: ['ada'] }),
    ];
    await whole(fenceUsers(api.orm, second));
    expect(await carriedOut(api, first)).toEqual([]);
    await expect(named(['ada'])).rejects.toMatchObject({ details: { jobId: second.publicId } });
    expect(await carriedOut(api, second)).toEqual([]);
    await named(['ada']);
    await whole(fenceUsers(api.orm, third));
    await expect(named(['ada'])).rejects.toMatchObject({ details: { jobId: third.publicId } });
    expect(await carriedOut(api, third)).toEqual([]);
    expect(await api.database.sql('select 1 from app_user where api_key_id = $1', [tenant.id])).toEqual([]);
  });
});

describe('naming a user whose row is deleted concurrently', () => {
  it('creates the row again and returns every named user', async () => {
    await named(['ada']);
    // Deletes the row while a writer waits for it. The writer re-creates it, and it is deleted again before it is locked.
    const remover = await api.database.connect();
    await remover.query('begin');
    await remover.query(`delete from app_user where api_key_id = $1`, [tenant.id]);
    const naming = inTransaction(api.orm, async (em) => lockUsers(em, tenant, ['ada', 'bob']));
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await remover.query('commit');
    expect([...(await naming).keys()].sort()).toEqual(['ada', 'bob']);
  });
});

describe('writes from 8 connections during repeated deletions of a user', () => {
  /** The full form runs in `npm run test:long`. */
  const rounds = inFull ? 200 : 30;
  const people = ['ada', 'grace', 'hedy'] as const;

  it(`leave no record for the verification scan to find in ${String(rounds)} rounds`, async () => {
    const location = await aDocument(tenant);
    const { organizationId } = location;
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    const group = { organizationId, organizationUserGroupId: freshId('group') };
    await tenant.ok('/v2/organizations/usergroups/add', {
      organizationId,
      organizationUserGroups: [{ organizationUserGroupId: group.organizationUserGroupId, groupName: 'x' }],
    });
    await tenant.ok('/v2/crdt/add', { ...location, editorId: 'editor', type: 'text', data: 'x' });
    const person = (round: number) => {
      const userId = people[round % people.length] ?? '';
      return { userId, name: 'Ada', email: `${userId}@example.com` };
    };
    const bob = { userId: 'bob' };
    const notification = {
      ...location,
      displayHeadlineMessageTemplate: 'x',
      displayBodyMessage: 'y',
    };
    const writers: ((round: number) => [string, object])[] = [
      (round) => [
        '/v2/activities/add',
        { ...location, activities: activities(3, { actionUser: person(round) }) },
      ],
      (round) => [
        '/v2/activities/add',
        {
          ...location,
          activities: activities(2, {
            actionUser: bob,
            id: `record-${String(round % 7)}`,
            entityData: { deep: [{ user: person(round) }], mentions: { [person(round).userId]: round } },
          }),
        },
      ],
      (round) => [
        '/v2/notifications/add',
        { ...notification, actionUser: person(round), notifyUsers: [bob] },
      ],
      (round) => [
        '/v2/notifications/add',
        {
          ...notification,
          actionUser: bob,
          notifyUsers: [person(round), bob],
          notificationId: `notification-${String(round % 5)}`,
        },
      ],
      (round) => ['/v2/users/add', { ...location, users: [person(round)] }],
      (round) => [
        '/v2/auth/permissions/add',
        { user: person(round), permissions: { resources: [{ type: 'organization', id: organizationId }] } },
      ],
      (round) =>
        round % 2 === 0
          ? ['/v2/agents/execution/add', { agentId: 'agent', ...location, ranBy: person(round) }]
          : [
              '/v2/notifications/config/set',
              { organizationId, userIds: [person(round).userId], config: { inbox: 'MINE' } },
            ],
      (round) => [
        '/v2/crdt/update',
        {
          ...location,
          editorId: 'editor',
          type: 'text',
          data: `text ${String(round)}`,
          lastUpdatedBy: person(round).userId,
        },
      ],
    ];
    // A separate process, so that deletions do not queue behind the writes.
    const other = await startProcess('api', api.database.url);
    const caller = calledThrough(other, tenant);
    const over = new AbortController();
    const outcomes = { written: 0, refused: 0, others: [] as string[] };
    const hammering = writers.map(async (write) => {
      for (let round = 0; !over.signal.aborted; round += 1) {
        const { body, text } = await caller.call(...write(round));
        if (body.result !== undefined) outcomes.written += 1;
        else if (body.error?.message === 'User data deletion is in progress.') {
          outcomes.refused += 1;
          // Pauses for the deletion and resumes before it has ended.
          await pause(25);
        } else outcomes.others.push(text);
      }
    });
    const found: string[] = [];
    let removed = 0;
    const deleting = people.map(async (userId) => {
      for (let round = 0; round < rounds / people.length; round += 1) {
        const deletion = await begunDeletion(api, tenant, { userIds: [userId] });
        found.push(...((await carriedOut(api, deletion)) ?? ['ended']));
        const [row] = await api.database.sql<{ counts: Record<string, number> }>(
          'select counts from user_data_deletion where job_id = $1',
          [deletion.jobId],
        );
        removed += Object.values(row?.counts ?? {}).reduce((sum, count) => sum + count, 0);
      }
    });
    await Promise.all(deleting);
    over.abort();
    await Promise.all(hammering);
    await other.stop();
    expect(found).toEqual([]);
    // Errors that a call may retry: it lost too many races, or a slow machine exceeded a limit of the API.
    const retryable = ['"ABORTED"', '"UNAVAILABLE"', '"DEADLINE_EXCEEDED"'];
    const wrong = outcomes.others.filter((text) => !retryable.some((status) => text.includes(status)));
    expect(wrong).toEqual([]);
    expect(outcomes.written).toBeGreaterThan(inFull ? rounds / 4 : 0);
    expect(outcomes.refused).toBeGreaterThan(0);
    expect(removed).toBeGreaterThan(inFull ? rounds / 4 : 0);
  });
});
