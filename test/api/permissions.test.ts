import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aDocument, anOrganization, aTenant, freshId } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';
import {
  add,
  aMember,
  aTree,
  check,
  checked,
  grant,
  remove,
  revoke,
  verdict,
  type TestResource,
  type Tree,
} from './permission-calls.ts';

const api = await startTestApi();
afterAll(api.close);

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

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

  it('creates missing resources only where the flags allow it', async () => {
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

  it('does not create a document under an id that a migration moved away or reserved', async () => {
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
  ])('refuses an expiry %s', async (_when, seconds, message) => {
    const { tenant, document, user } = await aTree(api);
    const permissions = { resources: [{ ...document, expiresAt: inSeconds(seconds) }] };
    const refusal = await tenant.refused(add, { user: { userId: user }, permissions });
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', message });
    expect(issuesOf(refusal)).toEqual({ 'data.permissions.resources[0].expiresAt': message });
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
    expect(await issues({ type: 'team', id: 'o', accessRole: 'owner', expiresAt: 1.5 })).toEqual({
      [`data.${at}.type`]: `${at}.type must be one of: organization, folder, document.`,
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
    expect(await sent(100, 'ada')).toBe((await sent(2, 'bob')) + 4);
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

describe('permissions/remove', () => {
  it('revokes the grant and keeps the membership', async () => {
    const { tenant, document, user } = await aTree(api);
    await aMember(api, tenant, user, document, 1);
    await grant(tenant, user, document);
    expect(await verdict(tenant, user, document)).toBe('editor: grant');
    const result = await revoke(tenant, user, document);
    expect(result).toEqual({ status: 'success', message: 'Permissions removed successfully.' });
    expect(await verdict(tenant, user, document)).toBe('viewer: membership');
  });

  it('deletes a row without membership, and is idempotent', async () => {
    const { tenant, document, user } = await aTree(api);
    await grant(tenant, user, document);
    await revoke(tenant, user, document);
    await revoke(tenant, user, document);
    await revoke(tenant, 'nobody', document);
    expect((await rowsOf(api.database, tenant.id))['access']).toEqual([]);
    expect((await rowsOf(api.database, tenant.id))['app_user']).toHaveLength(1);
  });

  it('rejects the call when one resource is unknown', async () => {
    const { tenant, document, user } = await aTree(api);
    await grant(tenant, user, document);
    const resources = [document, { ...document, id: 'typo' }];
    const refusal = await tenant.refused(remove, { userId: user, permissions: { resources } });
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'permissions.resources[1].id does not exist.',
      details: { resources: [{ ...document, id: 'typo' }] },
    });
    expect(await verdict(tenant, user, document)).toBe('editor: grant');
  });

  it('revokes a grant whose row concurrently becomes a membership', async () => {
    const { tenant, document, user } = await aTree(api);
    await grant(tenant, user, document);
    const other = await api.database.connect();
    await other.query('begin');
    await other.query('update access set is_member = true, member_role = 1 where user_ext = $1', [user]);
    const revoked = revoke(tenant, user, document);
    const { eventually } = await import('../support/eventually.ts');
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await other.query('commit');
    await revoked;
    expect(await verdict(tenant, user, document)).toBe('viewer: membership');
  });
});

describe('permissions/check', () => {
  it('returns results in the order of the request, with not-found for unknown resources', async () => {
    const { tenant, organization, top, document, user, organizationId } = await aTree(api);
    const nothing = { type: 'folder', id: 'nothing', organizationId };
    const nowhere = { type: 'document', id: document.id, organizationId: 'nowhere' };
    const { message, data } = await tenant.ok<{ id: string; reason: string; organizationId: string }[]>(
      check,
      {
        userId: user,
        resources: [document, nothing, organization, nowhere, top],
      },
    );
    expect(message).toBe('Permissions checked successfully.');
    expect(data.map(({ reason }) => reason)).toEqual([
      'restricted',
      'not-found',
      'organization-private',
      'not-found',
      'restricted',
    ]);
    expect(data[1]).toEqual({
      ...nothing,
      hasAccess: false,
      accessRole: null,
      expiresAt: null,
      reason: 'not-found',
    });
    expect(data[2]?.organizationId).toBe(organizationId);
  });

  it('uses the nearest level, and there the grant before the membership', async () => {
    const { tenant, organization, top, below, document, user } = await aTree(api);
    const seen = async () => verdict(tenant, user, document);
    await grant(tenant, user, organization);
    expect(await seen()).toBe('no: restricted');
    await grant(tenant, user, top);
    expect(await seen()).toBe('editor: grant');
    await aMember(api, tenant, user, below, 1);
    expect(await seen()).toBe('viewer: membership');
    await grant(tenant, user, below);
    expect(await seen()).toBe('editor: grant');
    await grant(tenant, user, { ...document, accessRole: 'viewer' });
    expect(await seen()).toBe('viewer: grant');
    await revoke(tenant, user, document, below);
    expect(await seen()).toBe('viewer: membership');
  });

  it('returns editor for a membership without a role', async () => {
    const { tenant, document, user } = await aTree(api);
    await aMember(api, tenant, user, document);
    expect(await verdict(tenant, user, document)).toBe('editor: membership');
  });

  it.each([
    ['public', 'editor: public', 'viewer: public'],
    ['organizationPrivate', 'no: organization-private', 'viewer: organization-private'],
    ['restricted', 'no: restricted', 'no: restricted'],
  ])('falls back to the access type %s in force', async (accessType, stranger, member) => {
    const { tenant, organization, document, user } = await aTree(api, { accessType });
    expect(await verdict(tenant, user, document)).toBe(stranger);
    await aMember(api, tenant, user, organization, 1);
    expect(await verdict(tenant, user, document)).toBe(member);
    await grant(tenant, user, organization);
    const byGrant = member.replace('viewer', 'editor');
    expect(await verdict(tenant, user, document)).toBe(byGrant);
  });

  it('uses the key’s default access type when none is set', async () => {
    const tenant = await aTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const resource = { type: 'document', id: documentId, organizationId } as const;
    expect(await verdict(tenant, 'u', resource)).toBe('editor: public');
    await tenant.ok('/v2/workspace/apikeyconfig/update', { defaultDocumentAccessType: 'restricted' });
    expect(await verdict(tenant, 'u', resource)).toBe('no: restricted');
  });

  it('refuses access while the organization or the document is disabled, even with a grant', async () => {
    const { tenant, organization, document, user, organizationId } = await aTree(api);
    await grant(tenant, user, organization, document);
    const disable = async (disabled: boolean): Promise<void> => {
      await tenant.ok('/v1/organizations/access/disablestate/update', {
        organizationIds: [organizationId],
        disabled,
      });
    };
    await disable(true);
    expect(await verdict(tenant, user, document)).toBe('no: organization-disabled');
    expect(await verdict(tenant, user, organization)).toBe('no: organization-disabled');
    await disable(false);
    await api.database.sql('update document set disabled = true where ext_id = $1', [document.id]);
    expect(await verdict(tenant, user, document)).toBe('no: document-disabled');
    expect(await verdict(tenant, user, organization)).toBe('editor: grant');
  });

  it('ignores a grant from the second it expires', async () => {
    const { tenant, top, document, user } = await aTree(api);
    await aMember(api, tenant, user, top, 1);
    await grant(tenant, user, { ...document, expiresAt: inSeconds(100) });
    expect(await verdict(tenant, user, document)).toBe('editor: grant');
    const expire = `update access set grant_expires_at = date_trunc('second', now()) where user_ext = $1 and grant_role is not null`;
    await api.database.sql(expire, [user]);
    expect(await verdict(tenant, user, document)).toBe('viewer: membership');
  });

  it('applies the folders above immediately after a move', async () => {
    const { tenant, top, below, document, user, organizationId } = await aTree(api);
    await grant(tenant, user, top);
    expect(await verdict(tenant, user, document)).toBe('editor: grant');
    await tenant.ok('/v2/organizations/folders/update', {
      organizationId,
      folders: [{ folderId: below.id, parentFolderId: 'root' }],
    });
    expect(await verdict(tenant, user, document)).toBe('editor: public');
  });

  it('lists what was found at each level when asked to explain', async () => {
    const { tenant, organization, top, below, document, user } = await aTree(api);
    await aMember(api, tenant, user, organization);
    await grant(tenant, user, { ...below, expiresAt: inSeconds(100) });
    await api.database.sql(
      `update access set grant_expires_at = now() where user_ext = $1 and grant_role is not null`,
      [user],
    );
    await grant(tenant, user, { ...top, accessRole: 'viewer' });
    const { reason, path } = await checked(tenant, user, document, true);
    expect(reason).toBe('grant');
    expect(path).toEqual([
      { type: 'document', id: document.id, found: 'nothing' },
      { type: 'folder', id: below.id, found: 'expired-grant' },
      { type: 'folder', id: top.id, found: 'grant', accessType: 'restricted' },
      { type: 'organization', id: organization.id, found: 'membership' },
    ]);
  });

  describe('explains the deciding access type from', () => {
    const lastElement = async (tree: Tree, resource: TestResource): Promise<object | undefined> =>
      (await checked(tree.tenant, tree.user, resource, true)).path?.at(-1);

    it('the default of the API key', async () => {
      const tree = await aTree(api);
      const document = { type: 'document', ...(await aDocument(tree.tenant)) } as const;
      const resource = { ...document, id: document.documentId };
      const { documentId: _same, ...asked } = resource;
      expect(await checked(tree.tenant, tree.user, asked, true)).toEqual({
        ...asked,
        hasAccess: true,
        accessRole: 'editor',
        expiresAt: null,
        reason: 'public',
        path: [
          { type: 'document', id: asked.id, found: 'nothing' },
          { type: 'organization', id: asked.organizationId, found: 'nothing' },
          { found: 'access-type', accessType: 'public', from: 'key default' },
        ],
      });
      await tree.tenant.ok('/v2/workspace/apikeyconfig/update', { defaultDocumentAccessType: 'restricted' });
      expect(await lastElement(tree, asked)).toEqual({
        found: 'access-type',
        accessType: 'restricted',
        from: 'key default',
      });
    });

    it('the nearest folder that has one', async () => {
      const tree = await aTree(api, { accessType: 'organizationPrivate' });
      for (const resource of [tree.document, tree.below, tree.top]) {
        expect(await lastElement(tree, resource)).toEqual({
          found: 'access-type',
          accessType: 'organizationPrivate',
          from: 'folder',
          folderId: tree.top.id,
        });
      }
    });

    it('the document', async () => {
      const tree = await aTree(api);
      await tree.tenant.ok('/v2/organizations/documents/access/update', {
        organizationId: tree.organizationId,
        documentIds: [tree.document.id],
        accessType: 'public',
      });
      expect(await lastElement(tree, tree.document)).toEqual({
        found: 'access-type',
        accessType: 'public',
        from: 'document',
      });
    });

    it('no level when something else decided', async () => {
      const tree = await aTree(api, { accessType: 'public' });
      const { tenant, user, document, organization, organizationId } = tree;
      const found = async (resource: TestResource): Promise<object> =>
        JSON.parse(JSON.stringify((await checked(tenant, user, resource, true)).path)) as object;
      expect(await found(organization)).toEqual([
        { type: 'organization', id: organizationId, found: 'nothing' },
      ]);
      await grant(tenant, user, document);
      expect(await found(document)).not.toContainEqual(expect.objectContaining({ found: 'access-type' }));
      await revoke(tenant, user, document);
      await tenant.ok('/v2/organizations/access/disablestate/update', {
        organizationIds: [organizationId],
        disabled: true,
      });
      expect(await found(document)).not.toContainEqual(expect.objectContaining({ found: 'access-type' }));
    });
  });

  it('sends one statement beside the credentials, for one resource as for a hundred', async () => {
    const { tenant, document, user, organizationId } = await aTree(api);
    const many = Array.from({ length: 99 }, (_, at) => ({
      type: 'folder',
      id: `f${String(at)}`,
      organizationId,
    }));
    for (const resources of [[document], [document, ...many]]) {
      const sent = await statementsOf(() => tenant.ok(check, { userId: user, resources, explain: true }));
      expect(sent).toHaveLength(2);
    }
  });
});
