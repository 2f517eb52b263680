import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from './api.ts';
import { anOrganization, aTenant } from './factories.ts';
import { explain, statementsOf } from './statements.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the test support', () => {
  it('runs a real API for a tenant on the test file’s own database', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant, { plan: 'gold' });
    const { data } = await tenant.ok('/v2/organizations/get');
    expect(data).toEqual([
      { id: organizationId, organizationName: organizationId, disabled: false, plan: 'gold' },
    ]);
  });

  it('counts statements, and detects plans that scan whole tables', async () => {
    const tenant = await aTenant(api);
    const sent = await statementsOf(() => tenant.ok('/v2/organizations/get', { organizationIds: ['a'] }));
    expect(sent).toHaveLength(2);
    const [, read] = sent;
    if (read === undefined) throw new Error('Nothing was sent.');
    expect(await explain(api.database, read)).toMatchObject({
      indexes: ['organization_ext'],
      wholeTables: [],
    });
    const whole = await explain(api.database, { text: 'select name from organization' });
    expect(whole.wholeTables).toEqual(['organization']);
  });
});
