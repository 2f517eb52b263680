import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { inOneHour } from '../support/one-period.ts';
import { explain, statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

const none = { waiting: 0, heldReason: null, heldSince: null };

describe('the overview of an API key', () => {
  it('is zero for a new key', async () => {
    const tenant = await aTenant(api);
    expect((await tenant.ok('/v2/overview/get')).data).toEqual({
      jobs: { pending: 0, inProgress: 0, failed: 0 },
      deletions: { open: 0, late: 0, oldestAcceptedAt: null },
      deliveries: { email: none, slack: none },
    });
  });

  it('counts jobs by status, open deletions, and deliveries of held channels of this key only', async () => {
    const tenant = await aTenant(api);
    const other = await aTenant(api);
    const accepted = new Date('2026-01-01T00:00:00Z');
    for (const owner of [tenant, other]) {
      await api.database.sql(
        `insert into job (api_key_id, public_id, kind, status, created_at, late_at)
           select $1, $2::text || '-' || n, k.kind, k.status, $3::timestamptz + n * interval '1 minute', case when k.late then now() end
           from (values (1, 4, 0, false), (2, 2, 1, true), (3, 2, 0, false), (4, 4, 3, false), (5, 4, 3, false), (6, 2, 2, true))
             as k (n, kind, status, late)`,
        [owner.id, owner.keyId, accepted],
      );
    }
    await api.database.sql(
      `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
         select 'o-' || n, $1, 1, n, 1, false, now() from generate_series(1, 3) n`,
      [tenant.id],
    );
    await api.database.sql(
      `insert into channel_state (api_key_id, channel, reason, since) values ($1, 1, 2, $2), ($1, 2, null, $2)`,
      [tenant.id, accepted],
    );
    expect((await tenant.ok('/v2/overview/get')).data).toEqual({
      jobs: { pending: 2, inProgress: 1, failed: 2 },
      deletions: { open: 2, late: 1, oldestAcceptedAt: accepted.getTime() + 120_000 },
      deliveries: {
        email: { waiting: 3, heldReason: 'from-missing', heldSince: accepted.getTime() },
        slack: none,
      },
    });
    expect((await other.ok('/v2/overview/get')).data).toMatchObject({ deliveries: { email: none } });
  });

  it('uses an index for each count in a large installation', async () => {
    const tenant = await aTenant(api);
    await withLargeTables(api.database, tenant.id, ['job', 'outgoing']);
    const sent = await statementsOf(() => tenant.ok('/v2/overview/get'));
    const counts = sent.filter(({ text }) => text.includes('count(*)'));
    expect(counts).toHaveLength(2);
    for (const statement of counts)
      expect(
        (await explain(api.database, statement, ['enable_bitmapscan', 'enable_sort'])).wholeTables,
      ).toEqual([]);
  });
});

describe('the usage of the calling key', () => {
  it('equals the usage that its workspace reads', async () => {
    await inOneHour(async () => {
      const tenant = await aTenant(api);
      await api.database.sql(
        `insert into usage_hour (api_key_id, starts_at, requests, errors)
           select $1, date_trunc('hour', now()) - n * interval '1 hour', 10 + n, n from generate_series(1, 3) n`,
        [tenant.id],
      );
      const to = Date.now() - (Date.now() % 3_600_000);
      const own = await tenant.ok('/v2/usage/get', { by: 'hour', to });
      expect(own.data).toMatchObject([{ requests: 13, errors: 3 }, { requests: 12 }, { requests: 11 }]);
      const seen = await tenant.workspace.ok('/v2/workspace/usage/get', {
        apiKey: tenant.apiKey,
        by: 'hour',
        to,
      });
      expect(own.data).toEqual(seen.data);
    });
  });
});

describe('the health of webhook endpoints', () => {
  it('is listed for this key only, also while webhooks are off', async () => {
    const tenant = await aTenant(api);
    const path = '/v2/workspace/advancedwebhook/endpoints/health/get';
    expect((await tenant.ok(path)).data).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    for (const host of ['a.example', 'b.example'])
      await tenant.ok('/v2/workspace/advancedwebhook/endpoints/create', { url: `https://${host}/secret` });
    const page = await tenant.ok(path, { pageSize: 1 });
    expect(page.data).toMatchObject([{ host: 'a.example', pending: 0, failingSince: null, disabled: false }]);
    expect(JSON.stringify(page.data)).not.toContain('secret');
    const next = await tenant.ok(path, { pageSize: 1, pageToken: page.nextPageToken });
    expect(next.data).toMatchObject([{ host: 'b.example' }]);
    expect((await (await aTenant(api)).ok(path)).data).toEqual([]);
  });
});

describe('the list of API keys', () => {
  it('contains each key’s public id and whether it is enabled when includeState is true', async () => {
    const tenant = await aTenant(api);
    const path = '/v2/workspace/apikeys/get';
    const listed = async (data: object) => (await tenant.workspace.ok(path, data)).data;
    expect(await listed({ includeState: true })).toMatchObject([{ keyId: tenant.keyId, enabled: true }]);
    await tenant.workspace.ok('/v2/workspace/apikey/disable', { apiKey: tenant.apiKey });
    expect(await listed({ includeState: true })).toMatchObject([{ keyId: tenant.keyId, enabled: false }]);
    expect(await listed({})).toEqual([
      { id: tenant.apiKey, apiKeyName: expect.any(String), type: 'testing' },
    ]);
  });
});
