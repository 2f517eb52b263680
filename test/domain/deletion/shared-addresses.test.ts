import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { anOrganization, freshId, type TestTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';
import { aBusyTenant } from './furnish.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** A tenant with an organization and two users with profiles whose ids differ in letter case only. */
async function twoSpellings() {
  const tenant = await aBusyTenant(api);
  const organizationId = await anOrganization(tenant);
  const lower = `${freshId('ada')}@example.com`;
  const capital = `A${lower.slice(1)}`;
  await tenant.ok('/v2/users/add', {
    organizationId,
    users: [
      { userId: capital, name: 'Ada' },
      { userId: lower, name: 'Adam' },
    ],
  });
  return { tenant, organizationId, capital, lower };
}

const deleteOf = async (tenant: TestTenant, userId: string) =>
  carriedOut(api, await begunDeletion(api, tenant, { userIds: [userId] }));

describe('the deletion of a user', () => {
  it.each(['capital', 'lower'] as const)(
    'leaves free JSON of the user whose id differs in letter case only, and the deletion of that user finds it (%s first)',
    async (first) => {
      const { tenant, organizationId, ...ids } = await twoSpellings();
      const second = first === 'capital' ? 'lower' : 'capital';
      const named = { capital: { userId: ids.capital }, lower: { userId: ids.lower } };
      await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, ...named }] });
      const metadata = async (): Promise<unknown> => {
        const [row] = await api.database.sql<{ metadata: unknown }>(
          'select metadata from organization where api_key_id = $1 and ext_id = $2',
          [tenant.id, organizationId],
        );
        return row?.metadata;
      };
      expect(await metadata()).toEqual(named);
      expect(await deleteOf(tenant, ids[first])).toEqual([]);
      expect(await metadata()).toEqual({ [second]: named[second] });
      expect(await deleteOf(tenant, ids[second])).toEqual([]);
      expect(await metadata()).toEqual({});
    },
  );
});
