import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { startTestApi } from '../support/api.ts';
import { anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aTenantByCalls } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { aRelease } from '../support/release.ts';
import { aNamespace } from '../support/temporal.ts';
import { furnish, type World } from '../support/world.ts';
import { release010 } from './releases.ts';
import { callerAt, difference, holds, readAll } from './same-calls.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const release = await aRelease(release010);
closing.push(() => release.remove());
const database = await anEmptyDatabase();
closing.push(database.drop);

/** The data of an installation of release 0.1.0, and its response to every read. */
async function written() {
  await release.command(database.url, 'migrate');
  const api = await release.start('api', database.url);
  try {
    const tenant = await aTenantByCalls({ url: api.url, database });
    const later = {
      recording: [],
      annotation: [],
      annotationStatus: [],
      receipt: [],
      key: [],
      operatorToken: [],
      authToken: [],
      keyName: [],
      keyDeletion: [],
      workspace: [],
    };
    const world: World = { tenant, ids: { ...later, ...(await furnish(tenant)) } };
    const reads = (await readAll(world, api.url)).filter(({ response }) => response.status === 200);
    return { world, reads };
  } finally {
    await api.stop();
  }
}

describe('a database of release 0.1.0', () => {
  it('migrates, and returns every resource', async () => {
    const { world, reads } = await written();
    await migrateDatabase(database.url);
    const temporal = await aNamespace();
    const api = await startTestApi({ database, environment: temporal });
    closing.push(api.close);
    const lost: string[] = [];
    for (const { endpoint, path, data, response } of reads) {
      const now = await callerAt(api.url, world, endpoint).call(path, data);
      const kept = now.status === 200 && holds(JSON.parse(now.text), JSON.parse(response.text));
      if (!kept) lost.push(difference(path, now, response));
    }
    expect(lost).toEqual([]);
    expect(reads.length).toBeGreaterThan(60);
    const worker = await startProcess('worker', database.url, temporal);
    closing.push(() => worker.kill());
    await eventually(async () =>
      expect(await database.sql('select kind from job where status in (0, 1)')).toEqual([]),
    );
    expect(await database.sql('select kind, error from job where error is not null')).toEqual([]);
  });
});
