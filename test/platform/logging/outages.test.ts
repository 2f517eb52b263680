import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogLine } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, calledThrough } from '../../support/factories.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { aProxyTo, type Proxy } from '../../support/proxy.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { anInstallation, type Installation } from '../../workflows/migrations.ts';
import { eventLines, underLoad, worksAgain, type Location } from './load.ts';

let installation: Installation;
let api: TestProcess;
let worker: TestProcess;
let location: Location;
const proxies: Partial<Record<'PostgreSQL' | 'Temporal', Proxy>> = {};

beforeAll(async () => {
  installation = await anInstallation();
  const { database } = installation.api;
  const postgres = await aProxyTo(database.url);
  const temporal = await aProxyTo(`tcp://${installation.temporal['TEMPORAL_ADDRESS'] ?? ''}`);
  Object.assign(proxies, { PostgreSQL: postgres, Temporal: temporal });
  const environment = {
    ...installation.temporal,
    DATABASE_URL: postgres.url,
    DATABASE_DIRECT_URL: postgres.url,
    TEMPORAL_ADDRESS: new URL(temporal.url).host,
    LOG_LEVEL: 'info',
  };
  api = await startProcess('api', postgres.url, environment);
  worker = await installation.startWorker(environment);
  const tenant = calledThrough(api, await aListeningTenant(installation.api));
  await anEndpoint(installation.api, tenant, 'http://127.0.0.1:9/');
  location = { tenant, document: await aDocument(tenant) };
});
afterAll(async () => {
  await api.stop();
  await installation.close();
  for (const proxy of Object.values(proxies)) await proxy.cut();
});

const parsed = (lines: readonly string[]): LogLine[] => lines.map((line) => JSON.parse(line) as LogLine);

describe('an outage under load', () => {
  // A cause is logged again after 60 s at the earliest, so 5 lines here are at most 10 in 60 s.
  it.each([
    ['PostgreSQL', 'worker', 'Activity failed'],
    ['Temporal', 'api', 'workflow start failed'],
  ] as const)('of %s logs at most 5 lines per process', async (server, process, symptom) => {
    const lines = eventLines({ api, worker });
    const began = Date.now();
    const failed = (): LogLine | undefined =>
      parsed(lines()[process]).find((line) => line['msg'] === symptom);
    await proxies[server]?.cut();
    await underLoad(location, async () => eventually(() => failed() !== undefined));
    await proxies[server]?.restore();
    await worksAgain(location);
    // On a slow machine the test may take longer than 60 s.
    const max = 5 * (1 + Math.floor((Date.now() - began) / 60_000));
    for (const logged of Object.values(lines())) expect(logged.length <= max ? [] : logged).toEqual([]);
    if (process === 'worker') {
      const names = { workflowId: expect.any(String), activity: expect.any(String), attempt: 1 };
      expect(failed()).toMatchObject(names);
    }
  });
});
