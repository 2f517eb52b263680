import { sql } from 'kysely';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { closeGate } from '../documents/flip-gate.ts';
import { freeInvisibleDocuments, isVisible } from '../documents/resolve-document.ts';
import { recordEvents } from '../events/record-events.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { tablesOf } from '../tables.ts';
import { failMigrations, migrationErrors, migrationPayload, type MigrationError } from './fail-migrations.ts';
import type { ActiveMigration } from './active-migration.ts';

/**
 * Gives the document its new id, emits `document.migrated` and completes the migration, in one transaction. Returns
 * whether the document moved. Idempotent: an ended migration is not changed.
 */
export async function flipDocument(orm: Orm, migration: ActiveMigration): Promise<boolean> {
  try {
    return await inTransaction(orm, async (em) => flip(em, migration));
  } catch (error) {
    // A flip can violate only the unique index of document ids in an organization.
    if (classifyDatabaseError(error) !== 'duplicate') throw error;
    return inTransaction(orm, async (em) => fail(em, migration, migrationErrors.taken));
  }
}

/**
 * Max wait for earlier writers. Writers that arrive later wait just as long, so the activity retries instead of waiting
 * longer.
 */
const maxLockWait = '3s';

async function flip(em: EntityManager, migration: ActiveMigration): Promise<boolean> {
  const { job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id } = migration;
  await sql`select set_config('lock_timeout', ${maxLockWait}, true)`.execute(tablesOf(em));
  await closeGate(em, job_id);
  const organization = await tablesOf(em)
    .selectFrom('organization')
    .select('id')
    .where('id', '=', org_id)
    .where('api_key_id', '=', api_key_id)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  // Waits for every writer that has locked the document: its records belong to the document after the flip, too.
  const document = await tablesOf(em)
    .selectFrom('document as d')
    .select('d.id')
    .where('d.id', '=', document_id)
    .where('d.api_key_id', '=', api_key_id)
    .where('d.org_id', '=', org_id)
    .where('d.ext_id', '=', old_ext_id)
    .where('d.deleted_at', 'is', null)
    .where(isVisible)
    .forUpdate('d')
    .executeTakeFirst();
  const ended = await endedJob(em, migration);
  if (ended !== undefined) return ended === jobStatusNumbers.completed;
  if (organization === undefined || document === undefined) {
    return fail(em, migration, migrationErrors.deleted);
  }
  await freeInvisibleDocuments(em, { id: org_id }, [new_ext_id]);
  const total = sql`coalesce((progress ->> 'total')::bigint, 0)`;
  await sql`with moved as (update document set ext_id = ${new_ext_id}, updated_at = now() where id = ${document_id}),
    released as (
      update migration set released_at = now()
      where org_id = ${org_id} and old_ext_id = ${new_ext_id} and flipped_at is not null and released_at is null),
    freed as (delete from id_reservation where job_id = ${job_id}),
    flipped as (update migration set flipped_at = now() where job_id = ${job_id})
    update job set status = ${jobStatusNumbers.completed}, ended_at = now(),
      progress = json_build_object('done', ${total}, 'total', ${total})
    where id = ${job_id} and api_key_id = ${api_key_id}`.execute(tablesOf(em));
  await recordEvents(em, api_key_id, [
    {
      type: 'document.migrated',
      organization: org_id,
      document: document_id,
      channels: [migration.organization_ext_id, old_ext_id, new_ext_id],
      payload: migrationPayload(migration),
      users: [],
    },
  ]);
  return true;
}

/**
 * Locks the job, after the document, in the same order as deletions. Returns its status when ended, undefined while in
 * progress.
 */
async function endedJob(em: EntityManager, migration: ActiveMigration): Promise<number | undefined> {
  const job = await tablesOf(em)
    .selectFrom('job')
    .select('status')
    .where('id', '=', migration.job_id)
    .where('api_key_id', '=', migration.api_key_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return job?.status === jobStatusNumbers.in_progress ? undefined : (job?.status ?? jobStatusNumbers.failed);
}

async function fail(em: EntityManager, migration: ActiveMigration, error: MigrationError): Promise<false> {
  await failMigrations(em, migration.api_key_id, {
    jobs: [migration.job_id],
    from: ['pending', 'in_progress'],
    error,
  });
  return false;
}
