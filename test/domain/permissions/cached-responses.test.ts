import { afterAll, describe, expect, it } from '@jest/globals';
import { cacheResponses } from '../../../domain/permissions/provider/cached-responses.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { startTestApi } from '../../support/api.ts';
import { anOrganization, aTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut } from '../deletion/carry-out.ts';

const api = await startTestApi();
afterAll(api.close);

describe('a decision of a permission provider', () => {
  it('is not cached for a user who was deleted during the call', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada' }, { userId: 'grace' }] });
    const users = await api.database.sql<{ id: string; ext_id: string }>(
      'select id, ext_id from app_user where api_key_id = $1 order by ext_id',
      [tenant.id],
    );
    expect(users.map(({ ext_id }) => ext_id)).toEqual(['ada', 'grace']);
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: ['ada'] }))).toEqual([]);

    const response = { hasAccess: true, accessRole: null, expiresAt: undefined };
    const decision = { kind: 3, resource: '1', askedId: 'd', organization: '1', response };
    const decisions = [...users, { id: null, ext_id: 'new' }].map(({ id: user, ext_id: userId }) => ({
      ...decision,
      userId,
      user,
    }));
    await cacheResponses(api.orm, tenant as unknown as Tenant, 1, decisions);
    const cached = await api.database.sql<{ ext_id: string; count: number }>(
      `select u.ext_id, count(a.user_id)::int as count from app_user u left join provider_answer a on a.user_id = u.id
       where u.api_key_id = $1 group by 1 order by 1`,
      [tenant.id],
    );
    expect(cached).toEqual([
      { ext_id: 'grace', count: 1 },
      { ext_id: 'new', count: 1 },
    ]);
  });
});
