import { appendFile, mkdtemp, readFile, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compareJournal } from '../../../domain/deletion-replay/compare-journal.ts';
import { completeJournal, removeExpiredFiles } from '../../../domain/deletion-replay/complete-journal.ts';
import { keepRestoreGate, RestoreGate } from '../../../domain/deletion-replay/restore-gate.ts';
import { replayDeletions } from '../../../domain/deletion-replay/replay-deletions.ts';
import { findDeletion, lockDeletion, type ActiveDeletion } from '../../../domain/deletion/active-deletion.ts';
import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { journalDeletion } from '../../../domain/deletion/journal/journal-deletion.ts';
import { openJournal } from '../../../domain/deletion/journal/open-journal.ts';
import { cancelJob } from '../../../domain/job-handlers/cancel-job.ts';
import { claimDueJobs } from '../../../domain/job-handlers/due-jobs.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { isStopped } from '../../../domain/jobs/stopped-jobs.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { dayMs } from '../../../platform/units.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, calledThrough, aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut } from '../deletion/carry-out.ts';
import { aBusyTenant, aPerson, furnish } from '../deletion/furnish.ts';
import { readiness } from './readiness.ts';
import { backedUp, forgotten, restored } from './restored.ts';

const root = await mkdtemp(join(tmpdir(), 'steward-replay-'));

let database: TestDatabase;
let api: TestApi;
let folder: string;
let journal: DeletionJournal;
const opened: TestApi[] = [];

/** An API that has compared the database and the journal of the test: on a slow machine, it listens before. */
async function started(): Promise<TestApi> {
  const made = await startTestApi({ database, environment: { STEWARD_DELETION_JOURNAL: folder } });
  opened.push(made);
  await eventually(async () => {
    const { reasons = [] } = await readiness(made);
    return !reasons.some((reason) => reason.includes('has not been compared'));
  });
  return made;
}

beforeAll(async () => {
  database = await aDatabase();
});
beforeEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  folder = await mkdtemp(join(root, 'journal-'));
  await database.sql('delete from deletion_journal_file');
  api = await started();
  await journal?.close();
  journal = openJournal(folder, api.keyRing) as DeletionJournal;
});
afterAll(async () => {
  await journal.close();
  await Promise.all(opened.map((one) => one.close()));
  await database.drop();
  await rm(root, { recursive: true, force: true });
});

const completion = () => ({ keyRing: api.keyRing, issuer: 'https://steward.test', journal });
const compared = async () => compareJournal(api.orm, journal, dayMs);
const replayed = async (acceptLoss = false) =>
  replayDeletions(api.orm, api.keyRing, journal, { acceptLoss, retentionMs: dayMs });

/** Runs an accepted deletion to its end, as its workflow does. */
async function run(jobId: string): Promise<void> {
  await beginJob(api.orm, jobId);
  const deletion = await findDeletion(api.orm.em.fork(), jobId);
  if (deletion === undefined) throw new Error('the deletion has ended');
  expect(await carriedOut(api, deletion, journal)).toEqual([]);
}

const usersOf = async (tenant: TestTenant): Promise<string[]> =>
  (
    await database.sql<{ ext_id: string }>(
      'select ext_id from app_user where api_key_id = $1 and ext_id is not null order by 1',
      [tenant.id],
    )
  ).map(({ ext_id }) => ext_id);

async function entries(): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await journal.files())
    for await (const record of journal.read(name, 0))
      found.push(record.state === 'entry' ? record.entry.jobId : record.state);
  return found;
}

describe('a database that is restored from a backup', () => {
  it('serves no customer until the deletions since the backup have run again, and keeps receipts and pseudonyms', async () => {
    const [ada, grace] = [aPerson('ADA-the-person'), aPerson('GRACE-who-stays')];
    const tenant = await aBusyTenant(api);
    await furnish(tenant, ada, grace, { prefix: 'a' });
    const backup = await backedUp(database);
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion, journal)).toEqual([]);
    const statusOf = async (of: TestTenant) =>
      (
        await of.ok<{ receipt: { jws: string; users: string[] } }>('/v2/users/data/delete/status', {
          jobId: deletion.publicId,
        })
      ).data;
    const before = await statusOf(tenant);
    await restored(database, backup);
    await forgotten(backup);

    const after = await started();
    const again = calledThrough(after, tenant);
    await eventually(async () =>
      expect(await readiness(after)).toMatchObject({
        http: 503,
        reasons: [expect.stringContaining('npm run cli -- deletions replay')],
      }),
    );
    const refusal = { http: 503, status: 'UNAVAILABLE' };
    expect(await again.refused('/v2/users/get', { userIds: [ada.userId] })).toMatchObject(refusal);
    expect((await anOperator(after).ok('/v2/operator/jobs/list', {})).status).toBe('success');

    expect(await replayed()).toMatchObject({ read: 1, users: 1, keys: 0, running: 0 });
    expect(await replayed()).toMatchObject({ read: 1, users: 0, running: 1 });
    await eventually(async () =>
      expect(await readiness(after)).toMatchObject({
        http: 503,
        reasons: [expect.stringContaining('running again')],
      }),
    );
    expect(await again.refused('/v2/users/get', { userIds: [ada.userId] })).toMatchObject(refusal);

    await run(deletion.publicId);
    await eventually(async () => expect(await readiness(after)).toMatchObject({ http: 200 }));
    expect(await usersOf(tenant)).toEqual([grace.userId]);
    const replay = await statusOf(again);
    expect(replay.receipt.users).toEqual(before.receipt.users);
    for (const { jws } of [before.receipt, replay.receipt]) {
      const { data } = await again.ok<Record<string, { covered: boolean }>>(
        '/v2/users/data/delete/receipt/verify',
        { receipt: jws, userIds: [ada.userId, grace.userId] },
      );
      expect(data).toMatchObject({ [ada.userId]: { covered: true }, [grace.userId]: { covered: false } });
    }
    expect(await replayed()).toMatchObject({ users: 0, running: 0 });
  });

  it('deletes API keys again, and skips keys that the backup does not have', async () => {
    const tenant = await aTenant(api);
    const backup = await backedUp(database);
    const later = await aTenant(api);
    for (const { keyId } of [tenant, later])
      await journal.append({
        v: 1,
        kind: 'key',
        keyId,
        jobId: freshId('job'),
        at: 1,
        database: '',
        signingKeys: [],
      });
    await restored(database, backup);
    await forgotten(backup);
    const after = await started();
    expect(await replayed()).toMatchObject({ read: 2, users: 0, keys: 1 });
    await eventually(async () => expect(await readiness(after)).toMatchObject({ http: 200 }));
    expect(await calledThrough(after, tenant).refused('/v2/organizations/get', {})).toMatchObject({
      message: 'Invalid API key.',
    });
  });

  it.each(['that replays', 'that the backup contains unfinished'] as const)(
    'finishes a deletion %s: nobody can cancel it, and its API key may be disabled',
    async (kind) => {
      const tenant = await aTenant(api);
      const { publicId: jobId } =
        kind === 'that replays'
          ? { publicId: freshId('job') }
          : await begunDeletion(api, tenant, { userIds: ['ada'] });
      await anOperator(api).ok('/v2/operator/keys/disable', { keyId: tenant.keyId });
      const entry = { v: 1, at: 1, database: 'another/1/2', organizationIds: null } as const;
      const { keyId } = tenant;
      await journal.append({ ...entry, signingKeys: [], kind: 'users', keyId, jobId, userIds: ['ada'] });
      if (kind === 'that replays') await replayed();
      expect(await compared()).toMatchObject({ state: 'replaying', running: 1 });
      const cancel = inTransaction(api.orm, async (em) =>
        cancelJob(em, completion(), jobId, { owner: { everyKey: true }, isRepeatable: true }),
      );
      await expect(cancel).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
      expect(await isStopped(api.orm.em.fork(), jobId)).toBe(false);
      await database.sql('update job set next_sweep_at = now() where public_id = $1', [jobId]);
      const { due } = await claimDueJobs(api.orm.em.fork());
      expect(due.map((job) => job.jobId)).toContain(jobId);
      await run(jobId);
      expect(await compared()).toMatchObject({ state: 'current' });
    },
  );
});

describe('a deletion that is in the journal', () => {
  let tenant: TestTenant;
  let deletion: ActiveDeletion;
  beforeEach(async () => {
    tenant = await aTenant(api);
    deletion = await begunDeletion(api, tenant, { userIds: [freshId('ada')] });
  });

  it('does not close the API when its process was killed before the commit', async () => {
    await carriedOut(api, deletion, {
      append: async () => Promise.reject(new Error('killed')),
    } as unknown as DeletionJournal).catch(() => undefined);
    await journalDeletion(api.orm, completion(), deletion);
    expect(await entries()).toEqual([deletion.publicId]);
    expect(await compared()).toMatchObject({ state: 'current' });
    const next = await started();
    await eventually(async () => expect(await readiness(next)).toMatchObject({ http: 200 }));
    expect(await carriedOut(api, deletion, journal)).toEqual([]);
    expect(await entries()).toEqual([deletion.publicId, deletion.publicId]);
    expect(await replayed()).toMatchObject({ users: 0 });
  });

  it('does not close the API when it is verified anew after its entry, and can no longer be canceled', async () => {
    await database.sql('update user_data_deletion set verified_at = now() where job_id = $1', [
      deletion.jobId,
    ]);
    await journalDeletion(api.orm, completion(), deletion);
    await inTransaction(api.orm, async (em) =>
      (await lockDeletion(em, deletion, ['fencing', null]))?.reopen(['documents']),
    );
    expect(await compared()).toMatchObject({ state: 'current' });
    expect(await tenant.refused('/v2/jobs/cancel', { jobId: deletion.publicId })).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
    expect(await carriedOut(api, deletion, journal)).toEqual([]);
  });

  it.each(['another/1/2', ''])(
    'closes the API when another database had written its entry: "%s"',
    async (written) => {
      await journal.append({
        v: 1,
        kind: 'users',
        keyId: tenant.keyId,
        jobId: deletion.publicId,
        at: 1,
        database: written,
        signingKeys: [],
        userIds: [],
        organizationIds: null,
      });
      await database.sql('update user_data_deletion set verified_at = now() where job_id = $1', [
        deletion.jobId,
      ]);
      expect(await compared()).toMatchObject({ state: 'replaying', running: 1 });
    },
  );

  it('stays open while the journal cannot be written, and completes once it can', async () => {
    await rename(folder, `${folder}-aside`);
    await expect(carriedOut(api, deletion, journal)).rejects.toThrow(
      'The deletion journal is unavailable (ENOENT). Mount its volume at STEWARD_DELETION_JOURNAL, ',
    );
    expect(await findDeletion(api.orm.em.fork(), deletion.publicId)).toBeDefined();
    await rename(`${folder}-aside`, folder);
    expect(await carriedOut(api, deletion, journal)).toEqual([]);
    expect(await entries()).toEqual([deletion.publicId]);
  });

  it('is added later when it completed without an entry', async () => {
    await carriedOut(api, deletion);
    expect(await entries()).toEqual([]);
    await completeJournal(api.orm, completion());
    expect(await entries()).toContain(deletion.publicId);
    const before = (await entries()).length;
    await completeJournal(api.orm, completion());
    expect(await entries()).toHaveLength(before);
    expect(await compared()).toMatchObject({ state: 'current' });
  });
});

describe('a journal', () => {
  /** An entry whose deletion has ended, and the path of its file. */
  async function aFile(): Promise<string> {
    const tenant = await aTenant(api);
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [freshId('ada')] }), journal);
    expect(await compared()).toMatchObject({ state: 'current' });
    return join(folder, (await journal.files())[0]?.name ?? '');
  }

  it('tolerates and counts a torn last entry', async () => {
    await appendFile(await aFile(), '01234567 torn');
    expect(await compared()).toMatchObject({ state: 'current', torn: 1, unreadable: 0 });
    expect(await replayed()).toMatchObject({ torn: 1 });
  });

  it('closes the API when a file that the database knows is missing, until the loss is accepted', async () => {
    const path = await aFile();
    await rm(path);
    expect(await compared()).toMatchObject({ state: 'lossy', lackingFiles: 1 });
    const after = await started();
    await eventually(async () => expect(await readiness(after)).toMatchObject({ http: 503 }));
    expect(await replayed()).toMatchObject({ lacking: 1 });
    expect(await compared()).toMatchObject({ state: 'lossy' });
    await replayed(true);
    await eventually(async () => expect(await readiness(after)).toMatchObject({ http: 200 }));
  });

  it.each([
    ['keeps the gate open in a process that serves already', new RestoreGate(false), true],
    ['keeps the gate closed in a process that starts', new RestoreGate(true), false],
  ])('that lost a file %s', async (_, gate, open) => {
    await rm(await aFile());
    const over = new AbortController();
    const states: string[] = [];
    await keepRestoreGate({
      gate,
      orm: api.orm,
      journal,
      retentionMs: dayMs,
      onCompared: ({ state }) => {
        states.push(state);
        over.abort();
      },
      onFailure: () => over.abort(),
      signal: over.signal,
    });
    expect([states, gate.isOpen()]).toEqual([['lossy'], open]);
  });

  it('that lost records and has a deletion that the database lacks closes the gate of a process that serves', async () => {
    const tenant = await aTenant(api);
    const deletion = await begunDeletion(api, tenant, { userIds: [freshId('ada')] });
    await carriedOut(api, deletion, journal);
    await appendFile(join(folder, (await journal.files())[0]?.name ?? ''), '00000000 damaged\n');
    // As if restored to a time before the deletion.
    await database.sql('update user_data_deletion set public_id = $2 where public_id = $1', [
      deletion.publicId,
      freshId('job'),
    ]);
    const gate = new RestoreGate(false);
    const over = new AbortController();
    await keepRestoreGate({
      gate,
      orm: api.orm,
      journal,
      retentionMs: dayMs,
      onCompared: () => over.abort(),
      onFailure: () => over.abort(),
      signal: over.signal,
    });
    expect(gate.isOpen()).toBe(false);
  });

  it('closes the API when an entry is unreadable, until the loss is accepted', async () => {
    await appendFile(await aFile(), '00000000 damaged\n');
    expect(await compared()).toMatchObject({ state: 'lossy', unreadable: 1 });
    expect(await replayed()).toMatchObject({ unreadable: 1 });
    await replayed(true);
    expect(await compared()).toMatchObject({ state: 'current', unreadable: 0 });
  });

  it('remembers an accepted loss behind a deletion that runs again', async () => {
    const { keyId } = await aTenant(api);
    const jobId = freshId('job');
    const entry = { v: 1, at: 1, database: '', organizationIds: null } as const;
    await journal.append({ ...entry, signingKeys: [], kind: 'users', keyId, jobId, userIds: ['ada'] });
    await appendFile(join(folder, (await journal.files())[0]?.name ?? ''), '00000000 damaged\n');
    expect(await compared()).toMatchObject({ state: 'lossy', missing: 1, unreadable: 1 });
    expect(await replayed(true)).toMatchObject({ users: 1, unreadable: 1 });
    expect(await compared()).toMatchObject({ state: 'replaying', running: 1, unreadable: 0 });
    await run(jobId);
    expect(await compared()).toMatchObject({ state: 'current' });
  });

  it('removes files beyond the retention once their deletions have ended, also after an incomplete append', async () => {
    const path = await aFile();
    const left = async (): Promise<number> => {
      await removeExpiredFiles(api.orm, journal, dayMs);
      return (await journal.files()).length;
    };
    await appendFile(path, '00000000 damaged\n00000000 torn');
    await replayed(true);
    expect(await left()).toBe(1);
    await utimes(path, 1, 1);
    expect(await left()).toBe(0);
  });

  it('contains no user id in plain text', async () => {
    const tenant = await aTenant(api);
    const userId = freshId('person');
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [userId] }), journal);
    for (const { name } of await journal.files()) {
      const text = await readFile(join(folder, name), 'latin1');
      const plain = text.split('\n').map((line) => Buffer.from(line.slice(9), 'base64').toString('latin1'));
      expect([text, ...plain].some((one) => one.includes(userId))).toBe(false);
    }
  });
});
