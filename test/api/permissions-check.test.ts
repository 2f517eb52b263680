import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aDocument, aTenant } from '../support/factories.ts';
import { statementsOf } from '../support/statements.ts';
import {
  aMember,
  aTree,
  check,
  checked,
  grant,
  revoke,
  verdict,
  type TestResource,
  type Tree,
  inSeconds,
} from './permission-calls.ts';

const api = await startTestApi();

afterAll(api.close);

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

  it('uses the nearest level, and at one level the grant before the membership', async () => {
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
  ])('falls back to the effective access type %s', async (accessType, stranger, member) => {
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

  it('returns the expiry of the grant that gives the role, after which an access type may give another', async () => {
    const { tenant, organization, document, user } = await aTree(api, { accessType: 'public' });
    const expiresAt = inSeconds(3_600);
    await grant(tenant, user, { ...organization, accessRole: 'viewer', expiresAt });
    expect(await checked(tenant, user, document)).toMatchObject({
      accessRole: 'viewer',
      expiresAt,
      reason: 'public',
    });
    await api.database.sql('update access set grant_expires_at = now() where user_ext = $1', [user]);
    expect(await checked(tenant, user, document)).toMatchObject({
      accessRole: 'editor',
      expiresAt: null,
      reason: 'public',
    });
  });

  it('uses the new parent folders immediately after a move', async () => {
    const { tenant, top, below, document, user, organizationId } = await aTree(api);
    await grant(tenant, user, top);
    expect(await verdict(tenant, user, document)).toBe('editor: grant');
    await tenant.ok('/v2/organizations/folders/update', {
      organizationId,
      folders: [{ folderId: below.id, parentFolderId: 'root' }],
    });
    expect(await verdict(tenant, user, document)).toBe('editor: public');
  });

  it('lists the grant or membership of each level with explain', async () => {
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
      const { documentId: _same, ...requested } = resource;
      expect(await checked(tree.tenant, tree.user, requested, true)).toEqual({
        ...requested,
        hasAccess: true,
        accessRole: 'editor',
        expiresAt: null,
        reason: 'public',
        path: [
          { type: 'document', id: requested.id, found: 'nothing' },
          { type: 'organization', id: requested.organizationId, found: 'nothing' },
          { found: 'access-type', accessType: 'public', from: 'key default' },
        ],
      });
      await tree.tenant.ok('/v2/workspace/apikeyconfig/update', { defaultDocumentAccessType: 'restricted' });
      expect(await lastElement(tree, requested)).toEqual({
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

    it('no level when a grant or membership decides', async () => {
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

  it('sends one statement after that of the credentials for 1 resource and for 100', async () => {
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
