import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { kyselyOf } from '../../platform/database/statements.ts';
import {
  journalDeletion,
  journalKeyDeletion,
  type Completion,
} from '../deletion/journal/journal-deletion.ts';
import type { DeletionJournal } from '../deletion/journal/deletion-journal.ts';
import { tablesOf } from '../tables.ts';
import { expiryOf, forgetFiles, readPositions } from './journal-positions.ts';

/** Max deletions of each kind per call. */
const maxDeletions = 100;

/**
 * Appends deletions that completed without an entry: before the journal was configured, by a worker of release 0.2.0,
 * or into a journal that was lost. A deletion of users has its userIds, and so can be appended, for 90 days. May be
 * repeated. Throws JournalUnavailable.
 */
export async function completeJournal(orm: Orm, completion: Completion): Promise<void> {
  await completeUserDeletions(orm, completion);
  await completeKeyDeletions(orm, completion);
}

/**
 * Whether a deletion that was verified more than 5 minutes ago lacks its entry. Then a worker runs without the journal, and
 * no other worker adds its deletions.
 */
export async function lacksEntries({ em }: Orm): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`select exists (
      select from user_data_deletion where verified_at is not null and journaled_at is null and users_enc is not null
        and verified_at < now() - interval '5 minutes')
    or exists (
      select from key_deletion where verified_at is not null and journaled_at is null
        and verified_at < now() - interval '5 minutes') as lacks`.execute(kyselyOf(em.fork()));
  return rows[0]?.lacks === true;
}

async function completeUserDeletions(orm: Orm, completion: Completion): Promise<void> {
  const em = orm.em.fork();
  const deletions = await tablesOf(em)
    .selectFrom('user_data_deletion as d')
    .innerJoin('api_key as k', 'k.id', 'd.api_key_id')
    .select([
      'd.job_id as jobId',
      'd.public_id as publicId',
      'd.api_key_id as tenantId',
      'k.public_id as keyId',
    ])
    .where('d.verified_at', 'is not', null)
    .where('d.journaled_at', 'is', null)
    .where('d.users_enc', 'is not', null)
    .orderBy('d.job_id')
    .limit(sql.lit(maxDeletions))
    .execute();
  for (const deletion of deletions) await journalDeletion(orm, completion, deletion);
}

async function completeKeyDeletions(orm: Orm, completion: Completion): Promise<void> {
  const em = orm.em.fork();
  const deletions = await tablesOf(em)
    .selectFrom('key_deletion')
    .select(['job_id as jobId', 'public_id as publicId', 'key_id as keyId'])
    .where('verified_at', 'is not', null)
    .where('journaled_at', 'is', null)
    .orderBy('job_id')
    .limit(sql.lit(maxDeletions))
    .execute();
  for (const deletion of deletions) {
    await journalKeyDeletion(orm, completion, deletion);
    await tablesOf(em)
      .updateTable('key_deletion')
      .set({ journaled_at: sql`now()` })
      .where('job_id', '=', deletion.jobId)
      .execute();
  }
}

/** Removes files whose last entry is older than the retention, once all of their deletions have ended. */
export async function removeExpiredFiles(
  orm: Orm,
  journal: DeletionJournal,
  retentionMs: number,
): Promise<void> {
  const em = orm.em.fork();
  const before = await expiryOf(orm, retentionMs);
  const positions = await readPositions(em);
  const files = await journal.files();
  for (const file of files) {
    const { name, modifiedAt } = file;
    if (modifiedAt.getTime() >= before) continue;
    if (await journal.endsAt(file, positions.get(name)?.checkedBytes ?? 0)) await journal.remove(name);
  }
  const present = new Set(files.map(({ name }) => name));
  const expired = [...positions].filter(
    ([name, { modifiedAt }]) => !present.has(name) && modifiedAt.getTime() < before,
  );
  await forgetFiles(
    em,
    expired.map(([name]) => name),
  );
}
