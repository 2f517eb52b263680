import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { anOrganization } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { aMember, aTree, grant, remove, revoke, verdict } from './permission-calls.ts';
import { expectRefusal, fence, fenced } from './users-calls.ts';

const api = await startTestApi();

afterAll(api.close);

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

  it('rejects the call while the data of the user is being deleted in the organization', async () => {
    const { tenant, document, user, organizationId } = await aTree(api);
    const elsewhere = { type: 'organization', id: await anOrganization(tenant) };
    await grant(tenant, user, document, elsewhere);
    const jobId = await fence(api, tenant, user, organizationId);
    const data = { userId: user, permissions: { resources: [elsewhere, document] } };
    await expectRefusal(api, tenant, remove, data, fenced(user, jobId));
    await revoke(tenant, user, elsewhere);
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
