import { afterAll, describe, expect, it } from '@jest/globals';
import { resolve } from '../../../domain/webhooks/delivery/resolve.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { create } from '../../api/webhooks/webhook-calls.ts';

const api = await startTestApi();
afterAll(api.close);

const update = '/v2/workspace/advancedwebhookconfig/update';

const waitsForLock = async (): Promise<boolean> => {
  const rows = await api.database.sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

describe('a change of the configuration of advanced webhooks', () => {
  it.each([{ encodeData: true }, { isEnabled: false }, { enableDataProtection: true }])(
    'returns after the messages that are being claimed are committed: %j',
    async (change) => {
      const tenant = await aListeningTenant(api);
      const { id: endpointId } = await create(tenant);
      const claimed = Promise.withResolvers<undefined>();
      const claim = inTransaction(api.orm, async (em) => {
        await resolve(em, api.keyRing, { tenantId: tenant.id, endpointId });
        await claimed.promise;
      });
      let returned = false;
      const call = tenant.ok(update, change).then(() => (returned = true));
      await eventually(waitsForLock);
      expect(returned).toBe(false);
      claimed.resolve(undefined);
      await Promise.all([claim, call]);
    },
  );

  it('applies to a claim that waited for it', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const changing = await api.database.connect();
    await changing.query('begin');
    await changing.query(
      `update key_config set config = jsonb_set(config::jsonb, '{enableDataProtection}', 'true')::json
       where api_key_id = $1 and kind = 'advancedwebhook'`,
      [tenant.id],
    );
    await changing.query('select from webhook_endpoint where public_id = $1 for update', [endpointId]);
    const claim = inTransaction(api.orm, async (em) =>
      resolve(em, api.keyRing, { tenantId: tenant.id, endpointId }),
    );
    await eventually(waitsForLock);
    await changing.query('commit');
    expect((await claim)?.options.enableDataProtection).toBe(true);
  });
});
