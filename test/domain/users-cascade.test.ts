import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeDescendants } from '../../domain/cascade/remove-descendants.ts';
import { accessRecords } from '../../domain/members/access-records.ts';
import { findJob } from '../../domain/jobs/find-job.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aFolder, aTenant, type TestTenant } from '../support/factories.ts';
import { numbered, somePeople, type People } from '../api/users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

/** Runs the job from its row, like a worker. */
async function cascade(jobId: string | undefined, from = 0): Promise<number> {
  const job = await findJob(api.orm.em.fork(), jobId ?? '');
  if (job === null) throw new Error('missing job');
  for await (const _ of removeDescendants(api.orm, job, from));
  const [row] = await api.database.sql<{ done: number }>(
    `select (progress ->> 'done')::integer as done from job where public_id = $1`,
    [jobId],
  );
  return row?.done ?? 0;
}

/** Members at every level, and of a document and a folder further down. */
async function furnished(): Promise<People & { readonly below: string; readonly inBelow: string }> {
  const people = await somePeople(tenant);
  const { organizationId, documentId, folderId } = people;
  const { folderId: below } = await aFolder(tenant, { organizationId, parentFolderId: folderId });
  const { documentId: inBelow } = await aDocument(tenant, { organizationId, folderId: below });
  for (const level of [{}, { documentId }, { folderId }, { folderId: below }, { documentId: inBelow }]) {
    await people.add([{ userId: 'a' }, { userId: 'b', accessRole: 'viewer' }], level);
  }
  await people.ok('/v2/organizations/usergroups/add', { organizationUserGroups: [{ groupId: 'g' }] });
  await people.ok('/v2/organizations/usergroups/users/add', {
    organizationUserGroupId: 'g',
    userIds: ['a'],
  });
  return { ...people, below, inBelow };
}

const counts = async (): Promise<Record<string, number>> => {
  const [row] = await api.database.sql<Record<string, number>>(
    `select (select count(*)::integer from access) as access, (select count(*)::integer from user_group) as groups,
       (select count(*)::integer from user_group_member) as grouped, (select count(*)::integer from app_user) as people`,
  );
  return row ?? {};
};

describe('memberships and grants', () => {
  it('are deleted with their document, and no others are', async () => {
    const { documentId, ok } = await furnished();
    const before = await counts();
    const { jobId } = await ok('/v2/organizations/documents/delete', { documentIds: [documentId] });
    expect(await cascade(jobId)).toBe(3);
    expect(await counts()).toEqual({ ...before, access: (before['access'] ?? 0) - 2 });
  });

  it.each([0, 1, 99])(
    'are deleted with their folder, its subfolders and documents, resumed at %i',
    async (from) => {
      const { folderId, ok, count, documentId } = await furnished();
      const before = await counts();
      const { jobId } = await ok('/v2/organizations/folders/delete', { folderId });
      await cascade(jobId, from);
      expect(await counts()).toEqual({ ...before, access: (before['access'] ?? 0) - 6 });
      expect([await count(), await count({ documentId })]).toEqual([2, 2]);
    },
  );

  it('are deleted with their organization and its groups, while users are kept', async () => {
    const kept = await furnished();
    const { organizationId } = await furnished();
    const before = await counts();
    const { jobId } = await tenant.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    await cascade(jobId);
    expect(await counts()).toEqual({
      access: (before['access'] ?? 0) - 10,
      groups: (before['groups'] ?? 0) - 1,
      grouped: (before['grouped'] ?? 0) - 1,
      people: before['people'],
    });
    expect(await kept.count()).toBe(2);
    // The id is reusable, and former members are not members of the new organization.
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
    expect((await tenant.ok('/v2/users/get', { organizationId })).data).toEqual([]);
  });

  it('are deleted in several batches above the batch size, and counted for a migration', async () => {
    const people = await somePeople(tenant);
    const { documentId } = people;
    await people.add(numbered(1));
    await api.database.sql(
      `with u as (insert into app_user (api_key_id, ext_id) select $1, 'step-' || n from generate_series(1, 5500) n returning id, ext_id)
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, k.kind, case k.kind when 3 then d.id else d.org_id end, $1, d.org_id, u.ext_id, true
       from u cross join document d cross join (values (1), (3)) k (kind) where d.api_key_id = $1 and d.ext_id = $2`,
      [tenant.id, documentId],
    );
    const [document] = await api.database.sql<{ id: string }>('select id from document where ext_id = $1', [
      documentId,
    ]);
    const range = { tenantId: tenant.id, documents: [document?.id ?? ''], after: null };
    expect(await accessRecords.count(api.orm.em.fork(), range)).toMatchObject({ records: 5_500, last: null });
    const { jobId } = await tenant.ok('/v2/organizations/delete', {
      organizationIds: [people.organizationId],
    });
    await cascade(jobId);
    const left = await api.database.sql(`select 1 from access where user_ext like 'step-%'`);
    expect(left).toEqual([]);
  });
});
