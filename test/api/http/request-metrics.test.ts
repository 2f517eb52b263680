import { afterAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { declaredFailures } from '../../../api/http/declared-failures.ts';
import { RequestMetrics } from '../../../api/http/request-metrics.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { choosePort } from '../../../local/ports.ts';
import { startTestApi } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { aStranger, aTenant, aWorkspace } from '../../support/factories.ts';
import { scrape, seriesOf } from '../../support/metrics.ts';
import { statementNames } from '../../support/pooler.ts';
import { rawExchange } from '../../support/raw-http.ts';

const port = await choosePort(undefined);
const api = await startTestApi({
  environment: {
    METRICS_PORT: String(port),
    STEWARD_RATE_LIMIT: '1',
    STEWARD_RATE_BURST: '3',
    STEWARD_FAILED_CREDENTIALS_LIMIT: '2',
  },
});
afterAll(api.close);

const path = '/v2/organizations/get';

/** The value of a series, 0 before its first request. */
const valueOf = async (series: string): Promise<number> => (await scrape(port)).series.get(series) ?? 0;

const requests = (operation: string, status: number): string =>
  `steward_api_requests_total{operation="${operation}",status="${String(status)}"}`;
const refusals = (kind: string): string => `steward_api_refusals_total{kind="${kind}"}`;

/** Statuses of refused heads. No operation returns them. */
const refusedHeads = [417, 431];

/** Returns the increase of the series while `act` runs, after they have stopped changing. */
async function growthOf(series: readonly string[], act: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(series.map(valueOf));
  await act();
  const after = await Promise.all(series.map(valueOf));
  return after.map((value, index) => value - (before[index] ?? 0));
}

describe('metrics of requests', () => {
  it('count requests by operation and status, and measure their duration', async () => {
    const tenant = await aTenant(api);
    const growth = await growthOf(
      [
        requests(path, 200),
        requests(path, 400),
        `steward_api_request_duration_seconds_count{operation="${path}"}`,
        `steward_api_request_duration_seconds_bucket{le="+Inf",operation="${path}"}`,
      ],
      async () => {
        await tenant.ok(path);
        await tenant.ok(path);
        await tenant.refused(path, { organizationIds: 1 });
      },
    );
    expect(growth).toEqual([2, 1, 3, 3]);
  });

  it('measure the duration of an operation on /v1 and /v2 as one series', async () => {
    const v1 = path.replace('/v2/', '/v1/');
    const duration = (operation: string): string =>
      `steward_api_request_duration_seconds_count{operation="${operation}"}`;
    const tenant = await aTenant(api);
    const growth = await growthOf(
      [requests(v1, 200), requests(path, 200), duration(v1), duration(path)],
      async () => {
        await tenant.ok(v1);
        await tenant.ok(path);
      },
    );
    expect(growth).toEqual([1, 1, 0, 2]);
  });

  it('count heads refused before the route under `unknown`', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
    const many = Array.from({ length: 201 }, (_, n) => `h${String(n)}: 1\r\n`).join('');
    const growth = await growthOf(
      refusedHeads.flatMap((status) => [requests('unknown', status), requests(path, status)]),
      async () => {
        await rawExchange(api.url, [`${head}Expect: tea\r\n\r\n`]);
        await rawExchange(api.url, [`${head}${many}\r\n`]);
      },
    );
    expect(growth).toEqual([1, 0, 1, 0]);
  });

  it('have one operation, `unknown`, for every request without a route', async () => {
    const hostile = ['/v2/organizations/get/', '/%00', `/${'x'.repeat(2_000)}`, '/v9/{operation="a"}'];
    const { series } = await scrape(port);
    const growth = await growthOf([requests('unknown', 404)], async () => {
      for (const one of hostile) await aStranger(api).refused(one);
      await aStranger(api).refused('/x"} 1\nsteward_evil 1'.replaceAll('\n', '%0A').replaceAll(' ', '%20'));
    });
    expect(growth).toEqual([5]);
    const added = [...(await scrape(port)).series.keys()].filter((name) => !series.has(name));
    const ofRequests = added.filter((name) => name.startsWith('steward_api_'));
    expect(ofRequests.filter((name) => !name.includes('operation="unknown"'))).toEqual([]);
    expect(added.filter((name) => name.includes('evil'))).toEqual([]);
  });

  it('count requests that Node refuses', async () => {
    const growth = await growthOf([requests('unknown', 400)], () =>
      rawExchange(api.url, ['nonsense\r\n\r\n']),
    );
    expect(growth).toEqual([1]);
  });

  it('count refusals by reason', async () => {
    const tenant = await aTenant(api, { allowedDomains: ['good.example'] });
    const stranger = aStranger(api);
    const wrong = tenant.with({ 'x-svc-auth-token': 'wrong' });
    const growth = await growthOf(
      ['credentials', 'failed_credentials', 'origin', 'rate'].map(refusals),
      async () => {
        await stranger.refused(path);
        for (let attempt = 0; attempt < 3; attempt += 1) await wrong.refused(path);
        await tenant.refused(path, {}, { headers: { origin: 'https://evil.example' } });
        await eventually(async () => (await tenant.call(path)).status === 429);
      },
    );
    expect(growth.slice(0, 3)).toEqual([3, 1, 1]);
    expect(growth[3]).toBeGreaterThanOrEqual(1);
  });

  it('export the memory budgets of bodies and responses', async () => {
    const { value } = await scrape(port);
    expect(value('steward_api_body_budget_max_bytes')).toBe(64 * 1_048_576);
    expect(value('steward_api_read_budget_max_bytes')).toBe(32 * 1_048_576);
    expect(value('steward_api_body_budget_bytes')).toBe(0);
    expect(value('steward_api_read_budget_bytes')).toBe(0);
  });

  it('export the connections of the pool', async () => {
    const { value } = await scrape(port);
    expect(value('steward_database_connections_max')).toBe(5);
    expect(value('steward_database_connections{status="idle"}')).toBeGreaterThan(0);
    expect(value('steward_database_connections_waiting')).toBe(0);
    // Other tests of the process may have used all names.
    const unnamed = value('steward_database_unnamed_statements_total');
    expect(unnamed).toBeGreaterThanOrEqual(statementNames ? 0 : 1);
  });

  it('have the same series after calls with 1,000 keys', async () => {
    const workspace = await aWorkspace(api);
    await api.database.sql(
      `with key as (
         insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email)
         select $1, sha256(('key-' || n)::bytea), '', 'n', 'testing', 'o@example.com' from generate_series(1, 1000) n
         returning id, key_hash)
       insert into auth_token (token_hash, api_key_id, token_enc, name)
       select sha256(('token-' || n)::bytea), id, '', 'n'
       from generate_series(1, 1000) n join key on key_hash = sha256(('key-' || n)::bytea)`,
      [workspace.id],
    );
    const call = async (n: number) =>
      aClient(api.url, { 'x-svc-api-key': `key-${n}`, 'x-svc-auth-token': `token-${n}` }).ok(path);
    await call(1);
    // Excluded: series of shared rows, which depend on their lease.
    const ownSeries = async (): Promise<string[]> =>
      [...(await scrape(port)).series.keys()].filter((name) =>
        /^steward_(api|cache|database|event_loop|process)_/.test(name),
      );
    const before = await ownSeries();
    expect(before.length).toBeGreaterThan(50);
    const counted = await growthOf([requests(path, 200)], async () => {
      for (let from = 1; from <= 1_000; from += 20)
        await Promise.all(Array.from({ length: 20 }, async (_, n) => call(from + n)));
    });
    expect(counted).toEqual([1_000]);
    expect(await ownSeries()).toEqual(before);
  });

  it('stay within 6,000 series when every operation returns every status that it declares', async () => {
    const registry = new Registry();
    const metrics = new RequestMetrics(registry, endpoints);
    for (const endpoint of endpoints) {
      const declared = declaredFailures(endpoint).map(({ http }) => http);
      const statuses = new Set([200, 405, ...declared.filter((status) => !refusedHeads.includes(status))]);
      for (const operation of endpoint.paths)
        for (const status of statuses) metrics.record(operation, status, 0);
    }
    const others = [...(await scrape(port)).series.keys()].filter(
      (name) => !/^steward_api_request(s_total|_duration)/.test(name),
    );
    const worst = seriesOf(await registry.metrics()).size + others.length;
    expect(worst).toBeGreaterThan(1_000);
    expect(worst).toBeLessThanOrEqual(6_000);
  });

  it('have only the labels operation, status, kind, outcome, version and le', async () => {
    const { text } = await scrape(port);
    const labels = [...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label);
    const known = new Set(['operation', 'status', 'kind', 'outcome', 'version', 'le']);
    expect(labels.filter((label) => !known.has(label ?? ''))).toEqual([]);
  });
});
