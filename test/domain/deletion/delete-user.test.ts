import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { activitiesInChunks } from '../../../domain/deletion/stores/activities.ts';
import { identify } from '../../../domain/deletion/stores/addresses.ts';
import type {
  Person,
  PersonScope,
  StoreCursor,
  StoreStep,
} from '../../../domain/deletion/stores/personal-data-store.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { addActivityLogs, type TestTenant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rows.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aBusyTenant, aPerson, furnish } from './furnish.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await aBusyTenant(api);
});
afterAll(() => api.close());

const ada = aPerson('ADA-the-person');
const grace = aPerson('GRACE-who-stays');

/** Returns the number of the tenant's rows that contain one of these texts, by table. */
async function traces(...texts: readonly string[]): Promise<Record<string, string[]>> {
  const tables = await rowsOf(api.database, tenant.id);
  // Excluded: rows that the deletion itself keeps.
  const { user_deletion: _, user_data_deletion: __, ...kept } = tables;
  return Object.fromEntries(
    Object.entries(kept)
      .map(
        ([table, rows]) => [table, rows.filter((row) => texts.some((text) => row.includes(text)))] as const,
      )
      .filter(([, rows]) => rows.length > 0),
  );
}

const countsOf = async (jobId: string): Promise<Record<string, number>> =>
  (
    await api.database.sql<{ counts: Record<string, number> }>(
      'select counts from user_data_deletion where job_id = $1',
      [jobId],
    )
  )[0]?.counts ?? {};

describe('deleting a user', () => {
  it('removes all data of the user and no data of others', async () => {
    await furnish(tenant, ada, grace, { prefix: 'a' });
    const others = await traces(grace.userId, grace.email);
    const hashed = async () =>
      api.database.sql<{ content: number; canonical: number; both: number }>(
        `select count(content_hash)::int as content, count(canonical_hash)::int as canonical,
           (count(*) filter (where content_hash is not null and canonical_hash is not null))::int as both
         from notification where api_key_id = $1`,
        [tenant.id],
      );
    expect(await hashed()).toEqual([{ content: 4, canonical: 4, both: 4 }]);
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await traces(ada.userId, ada.email, ada.name)).toEqual({});
    // One notification of others neither names nor reached the user.
    expect(await hashed()).toEqual([{ content: 1, canonical: 1, both: 1 }]);
    expect(await countsOf(deletion.jobId)).toEqual({
      memberships: 2,
      grants: 1,
      groups: 1,
      preferences: 1,
      notificationsReceived: 2,
      notificationsCaused: 1,
      activities: 5,
      recordings: 1,
      mentions: 4, // One of the records also names the user by the address.
      agentExecutions: 1,
      crdtRecords: 1,
      events: 11,
      user: 1,
    });
    const left = await traces(grace.userId, grace.email);
    expect(left['activity']).toHaveLength(2);
    expect(left['notification']).toHaveLength(2);
    expect(left['recording']).toHaveLength(1);
    expect(left['access']).toEqual(others['access']);
    expect(left['agent_execution']).toEqual(others['agent_execution']);
    expect(left['app_user']).toEqual(others['app_user']);
  });

  it('removes the user from notifications that name the user without an inbox entry', async () => {
    const { organizationId, documentId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      documentIds: [documentId],
      userIds: [ada.userId],
      config: { inbox: 'NONE' },
    });
    await tenant.ok('/v2/notifications/add', {
      organizationId,
      documentId,
      actionUser: grace,
      displayHeadlineMessageTemplate: 'wrote',
      displayBodyMessage: 'Hello.',
      notifyUsers: [{ userId: ada.userId, email: 'elsewhere@example.com' }],
    });
    const named = async () =>
      api.database.sql('select email from named_recipient where api_key_id = $1', [tenant.id]);
    expect(await named()).toEqual([{ email: 'elsewhere@example.com' }]);
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }));
    expect(await named()).toEqual([]);
  });

  it('counts in a dry run the records that it deletes afterwards', async () => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    const run = await begunDeletion(api, tenant, { userIds: [ada.userId], dryRun: true });
    // Meanwhile, the user may be written.
    await tenant.ok('/v2/users/add', { organizationId, users: [ada] });
    await whole(countPersonalData(api.orm, run));
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    await carriedOut(api, deletion);
    const { user, ...deleted } = await countsOf(deletion.jobId);
    expect(user).toBe(1);
    expect(await countsOf(run.jobId)).toEqual(deleted);
  });

  it('removes the user from other people’s records and keeps all other content', async () => {
    const { organizationId, documentId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }));
    const { data } = await tenant.ok<Record<string, unknown>[]>('/v2/activities/get', {
      organizationId,
      documentId,
      activityIds: ['a-others'],
    });
    expect(data[0]?.['entityData']).toEqual({
      text: 'stays',
      tagged: [{ by: grace }, { nested: [{ kept: 1 }] }],
      mentions: { [grace.userId]: { at: 2 } },
      notifyUsers: { [grace.userId]: true },
    });
    const received = await tenant.ok<Record<string, unknown>[]>('/v2/notifications/get', {
      organizationId,
      documentId,
    });
    expect(received.data.map(({ id }) => id)).toEqual(['a-kept', 'a-received']);
    expect(received.data.find(({ id }) => id === 'a-received')).toMatchObject({
      notifyUsersByUserId: { [grace.userId]: true },
      notifyUsers: { [grace.email]: true },
      notifyUsersCount: 1,
      metadata: { cc: [grace] },
    });
    const recordings = await tenant.ok<unknown[]>('/v2/recordings/get', { organizationId });
    expect(recordings.data).toEqual([
      {
        annotationId: 'a-others',
        type: 'recorder',
        from: grace,
        recordingType: 'audio',
        mode: 'floating',
        latestVersion: 1,
        context: { kept: 1 },
        createdAt: expect.any(Number),
        lastUpdated: expect.any(Number),
        metadata: { apiKey: tenant.apiKey, organizationId, documentId },
      },
    ]);
  });

  it('does not prevent the same records from being written again', async () => {
    const location = await furnish(tenant, ada, grace, { prefix: 'a' });
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }));
    await addActivityLogs(tenant, location, [
      { id: 'a-own', featureType: 'comment', actionType: 'comment.add', actionUser: ada },
    ]);
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    await carriedOut(api, deletion);
    expect(await countsOf(deletion.jobId)).toMatchObject({ activities: 1, user: 1 });
  });

  it('does not change other organizations when it names some', async () => {
    const one = await furnish(tenant, ada, grace, { prefix: 'one' });
    const two = await furnish(tenant, ada, grace, { prefix: 'two' });
    const before = await rowsOf(api.database, tenant.id);
    const deletion = await begunDeletion(api, tenant, {
      userIds: [ada.userId],
      organizationIds: [one.organizationId],
    });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const { user, ...counts } = await countsOf(deletion.jobId);
    expect(user ?? 0).toBe(0);
    expect(counts).toMatchObject({ memberships: 2, activities: 5, recordings: 1, mentions: 4, events: 11 });
    const after = await rowsOf(api.database, tenant.id);
    const [{ id } = { id: '' }] = await api.database.sql<{ id: string }>(
      'select id from organization where api_key_id = $1 and ext_id = $2',
      [tenant.id, two.organizationId],
    );
    for (const table of [
      'activity',
      'notification',
      'notification_recipient',
      'access',
      'record_user',
      'event',
    ]) {
      const ofTwo = (rows: readonly string[] = []): string[] =>
        rows.filter((row) => row.split(/[(),]/).includes(id));
      expect([table, ofTwo(after[table])]).toEqual([table, ofTwo(before[table])]);
    }
  });

  it('does not change the same user under another API key', async () => {
    const elsewhere = await aBusyTenant(api);
    await furnish(elsewhere, ada, grace, { prefix: 'a' });
    await furnish(tenant, ada, grace, { prefix: 'a' });
    const before = await rowsOf(api.database, elsewhere.id);
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId, grace.userId] }));
    expect(await rowsOf(api.database, elsewhere.id)).toEqual(before);
    expect(await traces(ada.userId, grace.userId)).toEqual({});
  });
});

describe('deleting the activity logs of users in batches', () => {
  const rowsPerBatch = 7;
  const store = activitiesInChunks({ count: rowsPerBatch, remove: rowsPerBatch });

  /** Runs batches until none is left. Returns the number of rows of each. */
  async function inBatches(act: 'count' | 'remove', scope: PersonScope): Promise<readonly number[]> {
    const rows: number[] = [];
    let after: StoreCursor | null = null;
    do {
      const step: StoreStep = await inTransaction(api.orm, async (em) =>
        store[act](em, await identify(em, scope), after),
      );
      rows.push(step.counts.activities ?? 0);
      after = step.last;
    } while (after !== null);
    return rows;
  }

  it.each(['every organization', 'one organization'])('counts each row in %s once', async (where) => {
    const location = await furnish(tenant, ada, grace, { prefix: 'a' });
    // The third user has more rows than two batches, and batches end within the rows of others.
    const rows = [3, 5, 20, 2, 6];
    const people = rows.map((_, n) => aPerson(`person-${String(n)}`));
    const added = rows.flatMap((count, n) =>
      Array.from({ length: count }, () => ({
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: people[n],
      })),
    );
    await addActivityLogs(tenant, location, added);
    const users = await api.database.sql<Person>(
      `select id, ext_id as "userId" from app_user where api_key_id = $1 and ext_id like 'person-%' order by id`,
      [tenant.id],
    );
    expect(users).toHaveLength(people.length);
    const [organization] = await api.database.sql<{ id: string }>(
      'select id from organization where api_key_id = $1 and ext_id = $2',
      [tenant.id, location.organizationId],
    );
    const organizations = where === 'every organization' ? null : [organization?.id ?? ''];
    const scope = { tenantId: tenant.id, users, organizations };
    for (const act of ['count', 'remove'] as const) {
      const batches = await inBatches(act, scope);
      expect(Math.max(...batches)).toBe(rowsPerBatch);
      expect(batches.length).toBeGreaterThanOrEqual(added.length / rowsPerBatch);
      expect(batches.reduce((sum, count) => sum + count, 0)).toBe(added.length);
    }
    expect(await inBatches('remove', scope)).toEqual([0]);
    expect((await traces(ada.userId))['activity']).toHaveLength(6);
  });
});
