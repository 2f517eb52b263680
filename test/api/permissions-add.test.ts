import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOrganization, aTenant, freshId } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';
import { add, aTree, checked, grant, verdict, inSeconds } from './permission-calls.ts';

const api = await startTestApi();

afterAll(api.close);

describe('permissions/add', () => {
  it('creates an unknown user and grants editor without expiry by default', async () => {
    const { tenant, document, user } = await aTree(api);
    const result = await grant(tenant, user, document);
    expect(result).toEqual({ status: 'success', message: 'Permissions added successfully.' });
    expect(await checked(tenant, user, document)).toEqual({
      ...document,
      hasAccess: true,
      accessRole: 'editor',
      expiresAt: null,
      reason: 'grant',
    });
    const users = await api.database.sql('select ext_id, name, email from app_user where api_key_id = $1', [
      tenant.id,
    ]);
    expect(users).toEqual([{ ext_id: user, name: '', email: '' }]);
  });

  it('accepts and ignores other members of a user', async () => {
    const { tenant, document, user } = await aTree(api);
    await tenant.ok(add, {
      user: { userId: user, name: 'Ada', email: 'not an address', plan: { gold: true } },
      permissions: { resources: [document] },
    });
    const [row] = await api.database.sql<{ name: string }>('select name from app_user where ext_id = $1', [
      user,
    ]);
    expect(row?.name).toBe('');
  });

  it('replaces role and expiry when a grant is repeated, absent ones included', async () => {
    const { tenant, document, user } = await aTree(api);
    const expiresAt = inSeconds(3_600);
    await grant(tenant, user, { ...document, accessRole: 'viewer', expiresAt });
    expect(await checked(tenant, user, document)).toMatchObject({ accessRole: 'viewer', expiresAt });
    await grant(tenant, user, document);
    expect(await checked(tenant, user, document)).toMatchObject({ accessRole: 'editor', expiresAt: null });
  });

  it('uses the last of two equal resources', async () => {
    const { tenant, document, user } = await aTree(api);
    await grant(tenant, user, document, { ...document, accessRole: 'viewer' });
    expect(await verdict(tenant, user, document)).toBe('viewer: grant');
  });

  it('rejects the call and names every unknown resource when one is unknown', async () => {
    const { tenant, organization, document, organizationId, user } = await aTree(api);
    const before = await rowsOf(api.database, tenant.id);
    const missing = { type: 'document', id: 'nothing', organizationId };
    const elsewhere = { ...document, organizationId: await anOrganization(tenant) };
    const refusal = await tenant.refused(add, {
      user: { userId: user },
      permissions: { resources: [organization, missing, elsewhere, { type: 'organization', id: 'none' }] },
    });
    expect(refusal).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
      message: 'permissions.resources[1].id does not exist.',
    });
    expect(Object.keys(issuesOf(refusal))).toEqual([
      'data.permissions.resources[1].id',
      'data.permissions.resources[2].id',
      'data.permissions.resources[3].id',
    ]);
    expect(refusal.details['resources']).toEqual([
      missing,
      elsewhere,
      { type: 'organization', id: 'none', organizationId: 'none' },
    ]);
    const { organization: _new, ...after } = await rowsOf(api.database, tenant.id);
    expect({ ...after, organization: before['organization'] }).toEqual(before);
  });

  it('creates missing resources only with the flags', async () => {
    const tenant = await aTenant(api);
    const organizationId = freshId('organization');
    const resources = [
      { type: 'organization', id: organizationId },
      { type: 'folder', id: 'reports', organizationId },
      { type: 'document', id: 'plan', organizationId },
    ] as const;
    const request = { user: { userId: 'u1' }, permissions: { resources } };
    await tenant.refused(add, request);
    await tenant.refused(add, { ...request, createOrganization: true, createFolder: true });
    expect((await rowsOf(api.database, tenant.id))['organization']).toEqual([]);
    await tenant.ok(add, { ...request, createOrganization: true, createFolder: true, createDocument: true });
    for (const resource of resources) expect(await verdict(tenant, 'u1', resource)).toBe('editor: grant');
  });

  it('does not create a document under an id that a migration freed or reserved', async () => {
    const { tenant, document, organizationId, user } = await aTree(api);
    const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
      organizationId,
      documentId: document.id,
      newDocumentId: 'moved',
    });
    const held = { ...document, id: 'moved' };
    const request = { user: { userId: user }, permissions: { resources: [held] } };
    expect(await tenant.refused(add, { ...request, createDocument: true })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      details: { migrationId: data.migrationId },
    });
    await api.database.sql(`update document set ext_id = 'moved' where ext_id = $1`, [document.id]);
    await api.database.sql(`update migration set flipped_at = now() where old_ext_id = $1`, [document.id]);
    await api.database.sql(`delete from id_reservation where ext_id = any($1)`, [['moved', document.id]]);
    const old = { user: { userId: user }, permissions: { resources: [document] } };
    expect(await tenant.refused(add, { ...old, createDocument: true })).toMatchObject({
      status: 'NOT_FOUND',
      details: { movedTo: 'moved' },
    });
    expect((await tenant.refused(add, old)).details['resources']).toEqual([
      { ...document, movedTo: 'moved' },
    ]);
  });

  it.each([
    ['in the past', -10, 'expiresAt must be a future Unix time in seconds.'],
    ['of this second', 0, 'expiresAt must be a future Unix time in seconds.'],
    ['in milliseconds', Date.now(), 'expiresAt looks like milliseconds; send seconds.'],
    ['in nanoseconds', 1.79e18, 'expiresAt looks like milliseconds; send seconds.'],
    ['long before the epoch', -1e18, 'expiresAt must be a future Unix time in seconds.'],
  ])('refuses an expiry %s', async (_when, seconds, message) => {
    const { tenant, document, user } = await aTree(api);
    const permissions = { resources: [{ ...document, expiresAt: inSeconds(seconds) }] };
    const refusal = await tenant.refused(add, { user: { userId: user }, permissions });
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', message });
    expect(issuesOf(refusal)).toEqual({ 'data.permissions.resources[0].expiresAt': message });
  });

  it('replays a success after the expiry that it stored', async () => {
    const { tenant, document, user } = await aTree(api);
    const expiresAt = inSeconds(2);
    const sent = { user: { userId: user }, permissions: { resources: [{ ...document, expiresAt }] } };
    const options = { idempotencyKey: freshId('key') };
    const first = await tenant.ok(add, sent, options);
    await eventually(() => Date.now() / 1_000 > expiresAt);
    expect(await tenant.ok(add, sent, options)).toEqual(first);
    expect((await tenant.refused(add, sent)).status).toBe('INVALID_ARGUMENT');
  });

  it('names the member of a malformed resource', async () => {
    const tenant = await aTenant(api);
    const issues = async (resource: object) =>
      issuesOf(await tenant.refused(add, { user: { userId: 'u' }, permissions: { resources: [resource] } }));
    const at = 'permissions.resources[0]';
    expect(await issues({ type: 'document', id: 'd' })).toEqual({
      [`data.${at}.organizationId`]: `${at}.organizationId is required.`,
    });
    expect(await issues({ type: 'organization', id: 'o', organizationId: 'p' })).toEqual({
      [`data.${at}.organizationId`]: `${at}.organizationId must equal id.`,
    });
    expect(await issues({ type: 'folder', id: 'root', organizationId: 'o' })).toEqual({
      [`data.${at}.id`]: `${at}.id must not be root.`,
    });
    expect(await issues({ type: 'document', id: 'd', accessRole: 'owner' })).toEqual({
      [`data.${at}.accessRole`]: `${at}.accessRole must be one of: viewer, editor.`,
      [`data.${at}.organizationId`]: `${at}.organizationId is required.`,
    });
    expect(await issues({ type: 'folder', id: 'root', organizationId: 7 })).toEqual({
      [`data.${at}.organizationId`]: `${at}.organizationId must be a string.`,
      [`data.${at}.id`]: `${at}.id must not be root.`,
    });
    expect(await issues({ type: 'team', id: 'o', accessRole: 'owner', expiresAt: 1.5 })).toEqual({
      [`data.${at}.type`]: `${at}.type must be one of: organization, document, folder.`,
      [`data.${at}.accessRole`]: `${at}.accessRole must be one of: viewer, editor.`,
      [`data.${at}.expiresAt`]: `${at}.expiresAt must be an integer.`,
    });
  });

  it('sends as many statements for 100 resources as for two, and rejects 101', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const resources = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'document', id: `d${String(at)}`, organizationId }));
    const sent = async (count: number, userId: string) =>
      (
        await statementsOf(() =>
          tenant.ok(add, {
            user: { userId },
            permissions: { resources: resources(count) },
            createDocument: true,
          }),
        )
      ).length;
    expect(await sent(100, 'ada')).toBe((await sent(2, 'bob')) + 5);
    expect(await sent(100, 'cyd')).toBe(await sent(2, 'dan'));
    const refusal = await tenant.refused(add, {
      user: { userId: 'ada' },
      permissions: { resources: resources(101) },
    });
    expect(refusal.message).toBe('permissions.resources must hold 1 to 100 items, not 101.');
  });

  it('rejects a user under deletion', async () => {
    const { tenant, document, user } = await aTree(api);
    await grant(tenant, user, document);
    await api.database.sql(
      `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 4, 1) returning id)
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, $3, $1, now() from j, app_user u where u.ext_id = $3`,
      [tenant.id, freshId('job'), user],
    );
    expect(
      await tenant.refused(add, { user: { userId: user }, permissions: { resources: [document] } }),
    ).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'User data deletion is in progress.',
      details: { userIds: [user] },
    });
  });
});
