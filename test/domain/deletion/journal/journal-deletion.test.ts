import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActiveDeletion } from '../../../../domain/deletion/active-deletion.ts';
import { sealUsers } from '../../../../domain/deletion/deletion-users.ts';
import type { DeletionJournal } from '../../../../domain/deletion/journal/deletion-journal.ts';
import { journalDeletion } from '../../../../domain/deletion/journal/journal-deletion.ts';
import { startTestApi, type TestApi } from '../../../support/api.ts';
import { aTenant } from '../../../support/factories.ts';
import { waitsForLock } from '../../../support/lock-waits.ts';
import { begunDeletion } from '../carry-out.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

/** A verified deletion of `ada` and `grace`, and a journal that keeps the userIds of its entries. */
async function verified() {
  const deletion = await begunDeletion(api, await aTenant(api), { userIds: ['grace', 'ada'] });
  await api.database.sql('update user_data_deletion set verified_at = now() where job_id = $1', [
    deletion.jobId,
  ]);
  const entries: (readonly string[])[] = [];
  const journal = {
    append: async ({ userIds }: { readonly userIds: readonly string[] }) => {
      entries.push(userIds);
      return Promise.resolve();
    },
  } as unknown as DeletionJournal;
  const append = async () =>
    journalDeletion(api.orm, { keyRing: api.keyRing, issuer: 'https://steward.test', journal }, deletion);
  return { deletion, entries, append };
}

const clearUsers = 'update user_deletion set ended_at = now(), user_ext_id = null where job_id = $1';

const journaledAt = async ({ jobId }: ActiveDeletion): Promise<unknown> =>
  (
    await api.database.sql<{ at: unknown }>(
      'select journaled_at as at from user_data_deletion where job_id = $1',
      [jobId],
    )
  )[0]?.at;

describe('the entry of a deletion', () => {
  it('has the userIds in order', async () => {
    const { deletion, entries, append } = await verified();
    await append();
    expect(entries).toEqual([['ada', 'grace']]);
    expect(await journaledAt(deletion)).not.toBeNull();
  });

  it('has the userIds when another attempt ends the deletion meanwhile', async () => {
    const { deletion, entries, append } = await verified();
    const other = await api.database.connect();
    await other.query('begin');
    await other.query('lock table user_deletion in access exclusive mode');
    const appending = append();
    expect(await waitsForLock(api.database, appending)).toBe(true);
    await other.query(clearUsers, [deletion.jobId]);
    await other.query('update user_data_deletion set ended_at = now(), users_enc = $2 where job_id = $1', [
      deletion.jobId,
      sealUsers(api.keyRing, deletion, ['ada', 'grace']),
    ]);
    await other.query('commit');
    await appending;
    expect(entries).toEqual([['ada', 'grace']]);
  });

  it('is not written once the userIds have expired', async () => {
    const { deletion, entries, append } = await verified();
    await api.database.sql(clearUsers, [deletion.jobId]);
    await append();
    expect(entries).toEqual([]);
    expect(await journaledAt(deletion)).toBeNull();
  });
});
