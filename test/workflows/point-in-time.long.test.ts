import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anArchivedPostgres, type ArchivedPostgres } from '../support/archived-postgres.ts';
import { runCommand } from '../support/command-line.ts';
import type { TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  calledThrough,
  type TestTenant,
} from '../support/factories.ts';
import { aPerson, aPreparedTenant, deleteData, endedDeletion, type TestPerson } from './deletions.ts';
import { anInstallation, type Installation } from './migrations.ts';

let servers: ArchivedPostgres;
let folder: string;
let environment: Readonly<Record<string, string>>;
let tenant: TestTenant;
let person: TestPerson;
let deletionId: string;
let targetTime: string;
const copies: { readonly installation: Installation; readonly database: TestDatabase }[] = [];

/** Ids of acknowledged activity logs. */
const acknowledged = {
  beforeBackup: [] as string[],
  beforeTarget: [] as string[],
  beforeArchivedEnd: [] as string[],
};

/** Adds activity logs until the action has ended, and at least 50. Returns the ids that were acknowledged. */
async function writtenDuring(action: () => Promise<unknown>): Promise<string[]> {
  const document = await aDocument(tenant);
  const ids: string[] = [];
  const over = new AbortController();
  const acting = action().finally(() => over.abort());
  const writing = (async () => {
    while (!over.signal.aborted || ids.length < 50)
      ids.push(...(await addActivityLogs(tenant, document, activities(1))));
  })();
  await Promise.all([acting, writing]);
  return ids;
}

beforeAll(async () => {
  servers = await anArchivedPostgres();
  folder = await mkdtemp(join(tmpdir(), 'steward-journal-'));
  environment = { STEWARD_DELETION_JOURNAL: folder };
  const { database } = servers;
  const original = await anInstallation({ database, environment });
  const worker = await original.startWorker(environment);
  tenant = await aPreparedTenant(original.api);
  person = await aPerson(tenant);
  acknowledged.beforeBackup = await writtenDuring(async () => servers.backUp());
  acknowledged.beforeTarget = await writtenDuring(async () => undefined);
  const [row] = await database.sql<{ now: string }>('select clock_timestamp()::text as now');
  targetTime = row?.now ?? '';
  acknowledged.beforeArchivedEnd = await writtenDuring(async () => {
    deletionId = await deleteData(tenant, { userIds: [person.userId] });
    await endedDeletion(tenant, deletionId);
  });
  await servers.archived();
  servers.kill();
  await worker.kill();
  await original.close();
});
afterAll(async () => {
  for (const { installation, database } of copies) {
    await installation.close();
    await database.drop();
  }
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

async function restored(time?: string): Promise<{ installation: Installation; database: TestDatabase }> {
  const database = await servers.restore(time);
  const copy = { installation: await anInstallation({ database, environment }), database };
  copies.push(copy);
  return copy;
}

async function missingIn(database: TestDatabase, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }>('select ext_id as id from activity');
  const present = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !present.has(id));
}

const readiness = async ({ api }: Installation): Promise<{ status: string; reasons?: readonly string[] }> =>
  (await fetch(`${api.url}/readyz`)).json() as Promise<{ status: string; reasons?: readonly string[] }>;

describe('a base backup with the archived log of a server that was killed', () => {
  it('restores everything that was acknowledged before the end of the archive', async () => {
    const { installation, database } = await restored();
    const all = Object.values(acknowledged).flat();
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(await missingIn(database, all)).toEqual([]);
    // It has the deletion, so nothing is replayed.
    await eventually(async () => (await readiness(installation)).status === 'ready');
    const same = calledThrough(installation.api, tenant);
    expect(await endedDeletion(same, deletionId)).toMatchObject({ status: 'completed' });
  });

  it('restores an earlier moment, whose API is ready after the deletions since then have run again', async () => {
    const { installation, database } = await restored(targetTime);
    const kept = [...acknowledged.beforeBackup, ...acknowledged.beforeTarget];
    expect(await missingIn(database, kept)).toEqual([]);
    const later = acknowledged.beforeArchivedEnd;
    expect(await missingIn(database, later)).toEqual(later);
    const users = `select from app_user where ext_id = '${person.userId}'`;
    expect(await database.sql(users)).not.toEqual([]);
    // At first, a slow machine may also name a dependency that it has not reached yet.
    await eventually(async () =>
      expect(await readiness(installation)).toMatchObject({
        status: 'not ready',
        reasons: [expect.stringContaining('deletions replay')],
      }),
    );
    // The worker takes no work before the replay.
    const starting = installation.startWorker(environment);
    await runCommand(installation.api, ['deletions', 'replay'], environment);
    await starting;
    await eventually(async () => (await readiness(installation)).status === 'ready');
    const same = calledThrough(installation.api, tenant);
    expect(await endedDeletion(same, deletionId)).toMatchObject({ status: 'completed' });
    expect(await database.sql(users)).toEqual([]);
  });
});
