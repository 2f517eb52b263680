import { afterAll, describe, expect, it } from '@jest/globals';
import { purgeDeletedEndpoints } from '../../../domain/webhooks/endpoints/purge-deleted-endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import { aReceiver } from '../../support/receiver.ts';
import type { TestTenant } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const turns = turnsOf(api);
/** Runs the step of maintenance, up to a number of batches. */
const purge = async (maxBatches = Infinity): Promise<void> => {
  let batches = 0;
  for await (const _ of purgeDeletedEndpoints(api.orm)) if (++batches >= maxBatches) return;
};

afterAll(async () => {
  await turns.close();
  await receiver.close();
  await api.close();
});

const deleteEndpoint = async (tenant: TestTenant, endpointId: string) =>
  tenant.ok('/v2/workspace/advancedwebhook/endpoints/delete', { endpointId });

/** Moves the deletion into the past. */
const longAgo = async (tenant: TestTenant) =>
  api.database.sql(
    `update webhook_endpoint set deleted_at = now() - interval '2 minutes' where api_key_id = $1 and deleted_at is not null`,
    [tenant.id],
  );

const left = async (tenant: TestTenant) => {
  const [counts] = await api.database.sql<Record<string, number>>(
    `select (select count(*) from delivery where api_key_id = $1)::int as deliveries,
       (select count(*) from attempt where api_key_id = $1)::int as attempts,
       (select count(*) from webhook_endpoint where api_key_id = $1)::int as endpoints`,
    [tenant.id],
  );
  return counts;
};

describe('purging deleted endpoints', () => {
  it('deletes messages and attempts, then the row, and keeps those of other endpoints', async () => {
    const tenant = await aListeningTenant(api);
    const gone = await anEndpoint(api, tenant, receiver.url);
    const stays = await anEndpoint(api, tenant, receiver.url);
    await turns.queued(tenant, 3);
    for (const endpoint of [gone, stays]) await turns.turn(tenant, endpoint);
    await deleteEndpoint(tenant, gone);
    await purge();
    expect(await left(tenant)).toEqual({ deliveries: 6, attempts: 6, endpoints: 2 });
    await longAgo(tenant);
    await purge(1);
    expect(await left(tenant)).toEqual({ deliveries: 3, attempts: 3, endpoints: 2 });
    await purge(1);
    expect(await left(tenant)).toEqual({ deliveries: 3, attempts: 3, endpoints: 1 });
  });

  it('deletes any number of endpoints in one run, and a batch of each before the next of one', async () => {
    const tenant = await aListeningTenant(api);
    const large = await anEndpoint(api, tenant, receiver.url);
    await turns.queued(tenant, 1);
    await turns.turn(tenant, large);
    await deleteEndpoint(tenant, large);
    // More than one read finds, deleted in one moment.
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url, deleted_at, kind)
       select w.api_key_id, w.public_id || n, w.url, now() - interval '2 minutes', 0
         from webhook_endpoint w, generate_series(1, 250) n where w.api_key_id = $1`,
      [tenant.id],
    );
    await longAgo(tenant);
    await purge(251);
    expect(await left(tenant)).toEqual({ deliveries: 0, attempts: 0, endpoints: 1 });
    await purge();
    expect(await left(tenant)).toEqual({ deliveries: 0, attempts: 0, endpoints: 0 });
  });

  it('finds endpoints by an index', async () => {
    const tenant = await aListeningTenant(api);
    await deleteEndpoint(tenant, await anEndpoint(api, tenant, receiver.url));
    await longAgo(tenant);
    const sent = await statementsOf(purge);
    const statements = sent.filter(({ text }) => /^\s*(?:with|select|delete)/i.test(text));
    expect(statements.length).toBeGreaterThan(3);
    for (const statement of statements) {
      const { wholeTables } = await explain(api.database, statement);
      expect({ ...statement, wholeTables }).toEqual({ ...statement, wholeTables: [] });
    }
  });
});
