import { connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { anOrganization, aStranger, calledThrough, aTenant } from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { aProxyTo } from '../../support/proxy.ts';

const api = await startTestApi();
afterAll(api.close);
const get = '/v2/organizations/get';
const add = '/v2/organizations/add';

describe('a running request', () => {
  it('gets its response during shutdown, while new connections are refused', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const process = await startProcess('api', api.database.url);
    const blocker = await api.database.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from organization where api_key_id = $1 for update', [tenant.id]);
    const caller = calledThrough(process, tenant);
    const underWay = caller.call('/v2/organizations/update', {
      organizations: [{ organizationId, organizationName: 'after' }],
    });
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    const started = performance.now();
    const ended = process.stop();
    await eventually(async () => refusesConnections(process.url));
    await blocker.query('rollback');
    expect((await underWay).status).toBe(200);
    expect(await ended).toBe(0);
    // The caller keeps its idle connection, which must not delay the shutdown.
    expect(performance.now() - started).toBeLessThan(50_000);
    expect((await tenant.ok(get)).data).toMatchObject([{ organizationName: 'after' }]);
  });
});

describe('the API without PostgreSQL', () => {
  it.each(['refuses connections', 'hangs'] as const)(
    'returns 503 within 2 s, reports it in health and recovers when PostgreSQL %s',
    async (fault) => {
      const proxy = await aProxyTo(api.database.url);
      const away = await startTestApi({ database: api.database, databaseUrl: proxy.url });
      try {
        const tenant = calledThrough(away, await aTenant(api));
        if (fault === 'hangs') proxy.hang();
        else {
          expect((await tenant.call(get, {})).status).toBe(200);
          await proxy.cut();
        }
        await eventually(async () => {
          const started = performance.now();
          const response = await tenant.call(get, {});
          expect(response.status).toBe(503);
          // Ten times the documented limit.
          expect(performance.now() - started).toBeLessThan(20_000);
          expect(response.headers['retry-after']).toBe('1');
          expect(response.body.error).toMatchObject({
            status: 'UNAVAILABLE',
            message: 'Service is temporarily unavailable.',
          });
        });
        const writing = await tenant.call(add, { organizations: [{ organizationId: 'o' }] });
        expect(writing.status).toBe(503);
        const page = async (path: string) =>
          (await aStranger(away).call(path, undefined, { method: 'GET' })).status;
        expect(await page('/healthz')).toBe(200);
        expect(await page('/readyz')).toBe(503);
        await proxy.restore();
        await eventually(async () => expect((await tenant.call(get, {})).status).toBe(200));
        await eventually(async () => expect(await page('/readyz')).toBe(200));
        expect(away.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
      } finally {
        await proxy.restore();
        await away.close();
        await proxy.cut();
      }
    },
  );

  it('starts, reports it in health and works once PostgreSQL is up', async () => {
    const proxy = await aProxyTo(api.database.url);
    await proxy.cut();
    const away = await startTestApi({ database: api.database, databaseUrl: proxy.url });
    try {
      const tenant = calledThrough(away, await aTenant(api));
      expect((await tenant.call(get, {})).status).toBe(503);
      await proxy.restore();
      await eventually(async () => expect((await tenant.call(get, {})).status).toBe(200));
      const { nextPageToken } = await tenant.ok(get, { pageSize: 1 });
      expect(nextPageToken).toBeUndefined();
    } finally {
      await away.close();
      await proxy.cut();
    }
  });

  it('returns 503 for a call that loses its connection, and serves the next one', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const blocker = await api.database.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from organization where api_key_id = $1 for update', [tenant.id]);
    const call = tenant.call('/v2/organizations/update', {
      organizations: [{ organizationId, organizationName: 'x' }],
    });
    await eventually(async () => {
      const ended = await api.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return ended.length > 0;
    });
    const response = await call;
    await blocker.query('rollback');
    expect([response.status, response.body.error?.status]).toEqual([503, 'UNAVAILABLE']);
    expect((await tenant.ok(get)).data).toMatchObject([{ organizationName: organizationId }]);
  });
});

describe('a deadlock', () => {
  it('of two transactions is retried, and both callers succeed', async () => {
    const tenant = await aTenant(api);
    const other = await api.database.connect();
    const lock = async (id: string) =>
      other.query('select 1 from organization where api_key_id = $1 and ext_id = $2 for update', [
        tenant.id,
        id,
      ]);
    await other.query(`set deadlock_timeout = '10s'`);
    // Again when a slow machine takes a second: PostgreSQL looks only once for a deadlock of the call, a second after it
    // began to wait, and then ends the other transaction, or the statement of the call after 10 s.
    await eventually(async () => {
      const [a, b] = [await anOrganization(tenant), await anOrganization(tenant)];
      const [first = '', second = ''] = [a, b].sort();
      await other.query('begin');
      try {
        await lock(second);
        const call = tenant.call('/v2/organizations/update', {
          organizations: [first, second].map((organizationId) => ({
            organizationId,
            organizationName: 'written',
          })),
        });
        let ended = false;
        const end = (): void => void (ended = true);
        call.then(end, end);
        await eventually(async () => {
          const waiting = await api.database.sql(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return ended || waiting.length > 0;
        });
        await lock(first);
        await other.query('commit');
        expect((await call).status).toBe(200);
      } finally {
        await other.query('rollback');
      }
    });
  });
});

describe('the access log line', () => {
  it('contains request id, key, operation, status and duration, and neither secrets nor content', async () => {
    const tenant = await aTenant(api);
    const content = 'content-of-the-customer';
    const headers = { 'x-request-id': 'of-the-access-line' };
    await tenant.ok(add, { organizations: [{ organizationId: content, note: content }] }, { headers });
    expect(api.accessLine('of-the-access-line')).toMatchObject({
      level: 'info',
      requestId: 'of-the-access-line',
      method: 'POST',
      operation: add,
      status: 200,
      keyId: tenant.keyId,
      durationMs: expect.any(Number),
    });
    await tenant.call(
      add,
      { organizations: [{ organizationId: content, organizationName: 7 }] },
      { headers },
    );
    await tenant.call(`/v2/${content}`, {}, { headers });
    const wrong = 'a-wrong-secret';
    await tenant.call(get, {}, { headers: { ...headers, 'x-svc-auth-token': wrong } });
    await tenant.call(add, undefined, { raw: `{"${content}`, headers });
    const log = api.log.join('');
    for (const secret of [content, wrong, tenant.apiKey, tenant.authToken, tenant.workspace.authToken]) {
      expect(log).not.toContain(secret);
    }
  });

  it('marks a failure, a replay and an unknown path', async () => {
    const tenant = await aTenant(api);
    const line = async (id: string, path: string, data: object, idempotencyKey?: string) => {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      await tenant.call(path, data, { headers: { 'x-request-id': id }, ...key });
      return api.accessLine(id);
    };
    expect(await line('unknown-path', '/nowhere', {})).toMatchObject({
      operation: 'unknown',
      status: 404,
      failure: 'NOT_FOUND',
    });
    const data = { organizations: [{ organizationId: 'o' }] };
    expect(await line('first', add, data, 'k')).not.toHaveProperty('replayed');
    expect(await line('again', add, data, 'k')).toMatchObject({ replayed: true, status: 200 });
  });

  it('contains the sizes of both bodies, of a streamed response too', async () => {
    const tenant = await aTenant(api);
    const sizes = async (path: string, data: object, raw?: string) => {
      const options = raw === undefined ? {} : { raw };
      const { text, headers } = await tenant.call(path, data, options);
      const { bytesIn, bytesOut } = api.accessLine(String(headers['x-request-id'])) ?? {};
      return { sent: [bytesIn, bytesOut], received: Buffer.byteLength(text) };
    };
    const organizations = Array.from({ length: 700 }, (_, number) => ({
      organizationId: `ä${String(number)}`,
      note: 'n'.repeat(1_000),
    }));
    const added = await sizes(add, { organizations });
    expect(added.sent).toEqual([
      Buffer.byteLength(JSON.stringify({ data: { organizations } })),
      added.received,
    ]);
    // More than one page, so it is written in chunks.
    const listed = await sizes('/v1/organizations/get', {});
    expect(listed.received).toBeGreaterThan(700_000);
    expect(listed.sent).toEqual([11, listed.received]);
    const refused = await sizes(add, {}, '{"data');
    expect(refused.sent).toEqual([6, refused.received]);
  });

  it('is written for a sample of successful requests, and for every failed one', async () => {
    const sampled = await startTestApi({
      database: api.database,
      environment: { STEWARD_ACCESS_LOG_SAMPLING: '4' },
    });
    try {
      const tenant = calledThrough(sampled, await aTenant(api));
      const count = 400;
      for (let call = 0; call < count; call += 1) await tenant.ok(get, { pageSize: 1 });
      for (let call = 0; call < 10; call += 1) await tenant.refused(get, { pageSize: 0 });
      const statuses = sampled.log
        .map((line) => JSON.parse(line) as { msg: string; status: number })
        .filter(({ msg }) => msg === 'request')
        .map(({ status }) => status);
      expect(statuses.filter((status) => status === 400)).toHaveLength(10);
      // 100 are expected; the standard deviation is 9.
      const successes = statuses.filter((status) => status === 200).length;
      expect(successes).toBeGreaterThan(20);
      expect(successes).toBeLessThan(180);
    } finally {
      await sampled.close();
    }
  });

  it('is written when the caller disconnects', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const { headers } = await aTenant(api);
    const credentials = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${get} HTTP/1.1\r\nHost: x\r\nX-Request-Id: went-away\r\n${credentials.join('')}Content-Length: 10\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.destroy();
    await eventually(() => api.accessLine('went-away') !== undefined);
    expect(api.accessLine('went-away')).toMatchObject({ failure: 'CANCELLED' });
  });
});

async function refusesConnections(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
