import { afterAll, describe, expect, it } from '@jest/globals';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { addDomains, deleteDomains } from '../../../domain/workspaces/key-domains.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the domains of a key', () => {
  it('do not change once the key is deleted', async () => {
    const { id } = await aTenant(api, { allowedDomains: ['example.com'] });
    await api.database.sql('update api_key set deleted_at = now() where id = $1', [id]);
    const tenant = { id } as Tenant;
    for (const change of [addDomains, deleteDomains])
      await expect(transacted(api.orm, async (em) => change(em, tenant, ['example.com']))).rejects.toThrow(
        expect.objectContaining({ status: 'NOT_FOUND' }),
      );
  });
});
