import { afterAll, describe, expect, it } from '@jest/globals';
import type { ActiveDeletion } from '../../../domain/deletion/active-deletion.ts';
import { phaseNumbers } from '../../../domain/deletion/deletion-phases.ts';
import { completeDeletion } from '../../../domain/deletion/end-deletion.ts';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { removePersonalData } from '../../../domain/deletion/process-stores.ts';
import { personalDataStores } from '../../../domain/deletion/stores/personal-data-stores.ts';
import { verifyDeletion } from '../../../domain/deletion/verify-deletion.ts';
import { startTestApi } from '../../support/api.ts';
import { aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { rowsWith } from '../../workflows/deletions.ts';
import { begunDeletion, whole } from './carry-out.ts';
import { aBusyTenant, aPerson } from './furnish.ts';

const api = await startTestApi();
afterAll(api.close);

/** Stores that release 0.2.0 does not know. */
const laterStores = new Set([
  'notices',
  'noticeWindows',
  'outgoing',
  'deliveryLog',
  'slackIdentities',
  'recordings',
  'threadViews',
  'reactions',
  'threadComments',
  'comments',
  'createdThreads',
  'threadMentions',
  'namedRecipients',
]);
const earlierStores = personalDataStores.map(({ name }) => name).filter((name) => !laterStores.has(name));

/** Leaves a deletion as the scan of a worker of 0.2.0 does, which found nothing. */
const verifyAsEarlier = async ({ jobId }: ActiveDeletion) =>
  api.database.sql('update user_data_deletion set phase = $2, verified_at = now() where job_id = $1', [
    jobId,
    phaseNumbers.verifying,
  ]);

/** Ends it like a worker of 0.2.0. Returns the ids of the ended jobs. */
const endAsEarlier = async ({ jobId }: ActiveDeletion): Promise<string[]> => {
  const ended = await api.database.sql<{ job_id: string }>(
    'update user_data_deletion set ended_at = now() where job_id = $1 returning job_id',
    [jobId],
  );
  return ended.map(({ job_id }) => job_id);
};

/** A person with a recording, or without data that 0.2.0 does not know. */
async function aRecorder({ recording }: { readonly recording: boolean }) {
  const tenant = await aBusyTenant(api);
  const document = await aDocument(tenant);
  const from = aPerson(freshId('ada'));
  if (recording)
    await tenant.ok('/v2/recordings/add', { ...document, recordings: [{ from, recordingType: 'audio' }] });
  else await tenant.ok('/v2/users/add', { ...document, users: [from] });
  return { tenant, userId: from.userId };
}

async function verifiedEarlier(tenant: TestTenant, userId: string): Promise<ActiveDeletion> {
  const deletion = await begunDeletion(api, tenant, { userIds: [userId] });
  await whole(fenceUsers(api.orm, deletion));
  await verifyAsEarlier(deletion);
  return deletion;
}

const complete = async (deletion: ActiveDeletion) =>
  whole(
    completeDeletion(
      api.orm,
      { keyRing: api.keyRing, issuer: 'https://steward.test', journal: undefined },
      deletion,
    ),
  );

describe('a deletion that a worker of 0.2.0 has verified', () => {
  it('is continued, because 0.2.0 does not know every store', async () => {
    const { tenant, userId } = await aRecorder({ recording: true });
    const deletion = await verifiedEarlier(tenant, userId);
    expect(await complete(deletion)).toBe('unverified');
    expect(await rowsWith(api, tenant, userId)).not.toEqual([]);
    await whole(removePersonalData(api.orm, deletion));
    expect(await whole(verifyDeletion(api.orm, deletion))).toEqual([]);
    expect(await complete(deletion)).toBe('ended');
    expect(await rowsWith(api, tenant, userId)).toEqual([]);
  });

  it('is continued also when a crash lost the result of that step', async () => {
    const { tenant, userId } = await aRecorder({ recording: true });
    const deletion = await verifiedEarlier(tenant, userId);
    expect([await complete(deletion), await complete(deletion)]).toEqual(['unverified', 'unverified']);
  });

  it('is not processed by 0.2.0 while the key has records that 0.2.0 does not know', async () => {
    const { tenant, userId } = await aRecorder({ recording: true });
    const { jobId } = await begunDeletion(api, tenant, { userIds: [userId] });
    const process = async (change: string) =>
      api.database.sql(`update user_data_deletion set ${change} where job_id = $1 returning phase`, [jobId]);
    await expect(process(`done_places = array['access']`)).rejects.toThrow('a later release');
    await expect(process(`stand = '{"place": "events", "after": []}'`)).rejects.toThrow('a later release');
    await expect(process(`counts = '{"events": 1}'`)).rejects.toThrow('a later release');
    expect(await process(`phase = 2`)).toEqual([{ phase: 2 }]);
  });

  it('is not processed by 0.2.0 once the key has counted comments, although they are deleted', async () => {
    const { tenant, userId } = await aRecorder({ recording: false });
    const { jobId } = await begunDeletion(api, tenant, { userIds: [userId] });
    const process = async () =>
      api.database.sql(
        `update user_data_deletion set done_places = $2 where job_id = $1 returning done_places`,
        [jobId, earlierStores],
      );
    await api.database.sql(
      `insert into usage_hour (api_key_id, starts_at, comments) values ($1, date_trunc('hour', now()), 1)`,
      [tenant.id],
    );
    await expect(process()).rejects.toThrow('a later release');
    await api.database.sql('delete from usage_hour where api_key_id = $1', [tenant.id]);
    expect(await process()).toEqual([{ done_places: earlierStores }]);
  });

  it('is not completed by 0.2.0 while the key has records that 0.2.0 does not know', async () => {
    const { tenant, userId } = await aRecorder({ recording: true });
    const deletion = await verifiedEarlier(tenant, userId);
    await expect(endAsEarlier(deletion)).rejects.toThrow('Only a worker of a later release');
  });

  it('is completed by 0.2.0 when there are none', async () => {
    const { tenant, userId } = await aRecorder({ recording: false });
    const deletion = await verifiedEarlier(tenant, userId);
    expect(await endAsEarlier(deletion)).toEqual([deletion.jobId]);
  });
});

describe('a deletion that is not verified', () => {
  it('may be canceled by 0.2.0 while the key has records that 0.2.0 does not know', async () => {
    const { tenant, userId } = await aRecorder({ recording: true });
    const deletion = await begunDeletion(api, tenant, { userIds: [userId] });
    expect(await endAsEarlier(deletion)).toEqual([deletion.jobId]);
  });
});

describe('the deletion of a key by a worker of 0.2.0', () => {
  it.each(['slack_identity', 'notice', 'notice_window', 'outgoing', 'delivery_log', 'thread_view'])(
    'keeps a user to whom a row of %s refers',
    async (table) => {
      const { tenant, userId } = await aRecorder({ recording: false });
      const [user] = await api.database.sql<{ id: string }>(
        'select id from app_user where api_key_id = $1 and ext_id = $2',
        [tenant.id, userId],
      );
      const remove = async () =>
        api.database.sql('delete from app_user where id = $1 returning id', [user?.id]);
      await api.database.sql('delete from access where user_id = $1', [user?.id]);
      await insertInto(table, tenant.id, user?.id ?? '');
      await expect(remove()).rejects.toThrow('Rows still refer to a user.');
      await api.database.sql(`delete from ${table} where user_id = $1`, [user?.id]);
      expect(await remove()).toEqual([user]);
    },
  );

  it('is not completed while the key has suppressed addresses', async () => {
    const { tenant } = await aRecorder({ recording: false });
    const jobId = (await begunDeletion(api, tenant, { userIds: [freshId('user')] })).jobId;
    await api.database.sql(
      `insert into key_deletion (job_id, public_id, workspace_id, key_id) values ($1, $2, 1, 'key')`,
      [jobId, freshId('job')],
    );
    const suppress = `insert into mail_suppression (api_key_id, address_hash, reason) values ($1, 'x', 1)`;
    const verify = async () =>
      api.database.sql('update key_deletion set verified_at = now() where job_id = $1 returning job_id', [
        jobId,
      ]);
    await api.database.sql(suppress, [tenant.id]);
    await expect(verify()).rejects.toThrow('Only a worker of a later release');
    await api.database.sql('delete from mail_suppression where api_key_id = $1', [tenant.id]);
    expect(await verify()).toEqual([{ job_id: jobId }]);
  });
});

/** Inserts a row of the user with a value of its type in each column that has neither a default nor a null. */
async function insertInto(table: string, tenantId: string, userId: string): Promise<void> {
  const columns = await api.database.sql<{ name: string; value: string }>(
    `select attname as name, case
       when attname = 'api_key_id' then $2 when attname = 'user_id' then $3
       when t.typname = 'json' then '[]' when t.typname = 'timestamptz' then 'now' when t.typname = 'bool' then 'false'
       when t.typname = 'text' then 'x' else '1' end as value
     from pg_attribute a join pg_type t on t.oid = a.atttypid
     where attrelid = $1::regclass and attnum > 0 and attnotnull and not atthasdef and attidentity = ''`,
    [table, tenantId, userId],
  );
  const names = columns.map(({ name }) => name).join();
  const values = columns.map((_, index) => `$${String(index + 1)}`).join();
  await api.database.sql(
    `insert into ${table} (${names}) values (${values})`,
    columns.map(({ value }) => value),
  );
}
