import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openJournal } from '../../domain/deletion/journal/open-journal.ts';
import type { DeletionJournal } from '../../domain/deletion/journal/deletion-journal.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDatabase } from '../support/database.ts';
import { serverEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { calledThrough } from '../support/factories.ts';
import { killed, startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';
import { aPerson, aPreparedTenant, deleteData, deletionOf, endedDeletion } from './deletions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const database = await aDatabase();
const folder = await mkdtemp(join(tmpdir(), 'steward-journal-'));
const environment = { STEWARD_DELETION_JOURNAL: folder };
const temporal = await aNamespace();
const apis = new Set<TestApi>();
const workers = new Set<TestProcess>();

const anApi = async (): Promise<TestApi> => {
  const api = await startTestApi({ database, environment: { ...environment, ...temporal } });
  apis.add(api);
  return api;
};
const aWorker = async (): Promise<TestProcess> => {
  const worker = await startProcess('worker', database.url, { ...environment, ...temporal });
  workers.add(worker);
  return worker;
};
const stopAll = async (): Promise<void> => {
  await Promise.all([...workers].map(async (worker) => worker.stop()));
  await Promise.all([...apis].map(async (api) => api.close()));
  workers.clear();
  apis.clear();
};
afterAll(async () => {
  await stopAll();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const journalOf = (api: TestApi) => openJournal(folder, api.keyRing) as DeletionJournal;

async function entriesOf(journal: DeletionJournal): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await journal.files())
    for await (const record of journal.read(name, 0))
      found.push(record.state === 'entry' ? record.entry.jobId : record.state);
  return found;
}

const ready = async (api: TestApi): Promise<number> => (await fetch(`${api.url}/readyz`)).status;

/** Runs a statement in a transaction that stays open. Returns a function that ends it. */
async function holding(statement: string, ...parameters: unknown[]): Promise<() => Promise<void>> {
  const client = await database.connect();
  await client.query('begin');
  await client.query(statement, parameters);
  return async () => void (await client.query('rollback'));
}

/** Runs an operator's command as a process. */
const replaying = (): ChildProcess =>
  spawn(process.execPath, ['cli/main.ts', '--json', 'deletions', 'replay'], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...serverEnvironment(database.url, environment) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

async function replayed(): Promise<Record<string, unknown>> {
  const child = replaying();
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output) as Record<string, unknown>;
}

describe('a deletion whose worker is killed between its entry and its commit', () => {
  it('is completed by another worker, and does not close an API that starts meanwhile', async () => {
    const api = await anApi();
    const journal = journalOf(api);
    const worker = await aWorker();
    const tenant = await aPreparedTenant(api);
    const { userId } = await aPerson(tenant);
    const pass = await holding(
      'select 1 from activity a join app_user u on u.id = a.actor_id where u.ext_id = $1 for update of a',
      userId,
    );
    const jobId = await deleteData(tenant, { userIds: [userId] });
    await eventually(async () => (await deletionOf(tenant, jobId)).phase === 'deleting');
    const letGo = await holding('select 1 from app_user where ext_id = $1 for key share', userId);
    await pass();
    await eventually(async () => (await entriesOf(journal)).includes(jobId));
    await killed(worker);
    workers.delete(worker);
    expect((await deletionOf(tenant, jobId)).status).toBe('in_progress');
    const other = await anApi();
    expect(await ready(other)).toBe(200);
    await letGo();
    await aWorker();
    expect(await endedDeletion(calledThrough(other, tenant), jobId)).toMatchObject({ status: 'completed' });
    expect((await entriesOf(journal)).filter((one) => one === jobId).length).toBeGreaterThanOrEqual(2);
    expect(await replayed()).toMatchObject({ users: 0, keys: 0 });
    await stopAll();
  });
});
