import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually, repeatUntil } from '../../support/eventually.ts';
import { anOperator, calledThrough, aTenant } from '../../support/factories.ts';
import { scrape } from '../../support/metrics.ts';
import { killed, startProcess } from '../../support/processes.ts';

const metricsPort = await choosePort(undefined);
const api = await startTestApi({ environment: { METRICS_PORT: String(metricsPort) } });
const second = await startTestApi({ database: api.database });
afterAll(async () => {
  await second.close();
  await api.close();
});
const perSecond = 30;
const burst = perSecond;

const secondsSince = (from: number): number => (performance.now() - from) / 1_000;

/** Calls every process so often that each alone would reach the limit. Counts the admitted calls. */
function calling(clients: readonly Awaited<ReturnType<typeof aTenant>>[]) {
  const stopping = new AbortController();
  const admitted: number[] = [];
  const callers = clients.flatMap((client) =>
    Array.from({ length: 2 }, async () => {
      while (!stopping.signal.aborted) {
        const response = await client.call('/v2/organizations/get', { pageSize: 1 }).catch(() => undefined);
        if (response?.status === 200) admitted.push(performance.now());
        await pause(20);
      }
    }),
  );
  return {
    since: (from: number) => admitted.filter((at) => at >= from).length,
    stop: async () => {
      stopping.abort();
      await Promise.all(callers);
    },
  };
}

describe('the rate limit of a key that calls three processes', () => {
  it('is one limit, and one process has all of it when the others are killed', async () => {
    const tenant = await aTenant(api);
    await anOperator(api).ok('/v2/operator/limits/update', {
      keyId: tenant.keyId,
      requestsPerSecond: perSecond,
      burst,
    });
    const third = await startProcess('api', api.database.url);
    const began = performance.now();
    const load = calling([tenant, calledThrough(second, tenant), calledThrough(third, tenant)]);
    try {
      // On a busy machine, it may take several periods until the callers exceed the limit.
      await eventually(async () => {
        const from = performance.now();
        await pause(5_000);
        expect(load.since(from) / secondsSince(from)).toBeGreaterThan(0.7 * perSecond);
        const admitted = load.since(began);
        // While an exchange is late, the processes may admit too much. They save it again.
        expect(admitted).toBeLessThanOrEqual(1.1 * (perSecond * secondsSince(began) + burst));
      });
    } finally {
      await load.stop();
    }
    const alone = calling([tenant]);
    try {
      await killed(third);
      await eventually(async () => {
        const from = performance.now();
        await pause(1_000);
        return alone.since(from) / secondsSince(from) > 0.8 * perSecond;
      });
    } finally {
      await alone.stop();
    }
    const rows = await api.database.sql('select per_second, burst from request_bucket');
    expect(rows).toEqual([{ per_second: perSecond, burst }]);
  });
});

describe('a limiter that cannot reach the others', () => {
  const failed = async (): Promise<number> =>
    (await scrape(metricsPort)).value('steward_limit_exchanges_total{outcome="failed"}');

  it('lets requests through, and counts its failures', async () => {
    const tenant = await aTenant(api);
    const limits = { requestsPerSecond: 100, burst: 10_000 };
    await anOperator(api).ok('/v2/operator/limits/update', { keyId: tenant.keyId, ...limits });
    const before = await failed();
    await api.database.sql('alter table request_bucket rename to gone');
    await repeatUntil(async () => {
      await tenant.ok('/v2/organizations/get');
      return (await failed()) > before;
    });
    await tenant.ok('/v2/organizations/get');
    await api.database.sql('alter table gone rename to request_bucket');
  });
});

describe('keys that use little of their limits', () => {
  it('have no bucket in the database', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/organizations/get');
    const busy = await api.database.sql('select from request_bucket where api_key_id = $1', [tenant.id]);
    expect(busy).toEqual([]);
  });
});
