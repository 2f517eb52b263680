import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';
import { nowhere } from './accept-deletion.ts';
import { phaseName, phaseNumbers, type DeletionPhase } from './deletion-phases.ts';
import { doneKinds, tasksOf } from './deletion-tasks.ts';
import type { PersonCounts, PersonCursor, PersonScope } from './places/place.ts';

/** A deletion as its activities work with it. The tenant comes from the row: an argument is never trusted alone. */
export interface WorkedDeletion {
  readonly jobId: string;
  readonly publicId: string;
  readonly tenantId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  readonly dryRun: boolean;
  readonly users: number;
  readonly createdAt: Date;
}

export async function findDeletion(em: EntityManager, jobId: string): Promise<WorkedDeletion | undefined> {
  const found = await row<WorkedDeletion>(
    em,
    `select d.job_id as "jobId", d.public_id as "publicId", d.api_key_id as "tenantId", k.public_id as "keyId", d.dry_run as "dryRun", d.users,
       d.created_at as "createdAt"
     from job j join user_data_deletion d on d.job_id = j.id join api_key k on k.id = d.api_key_id
     where j.public_id = $1 and d.ended_at is null`,
    [jobId],
  );
  return found && { ...found, createdAt: new Date(found.createdAt) };
}

/** Whose data, and where. */
export async function scopeOf(em: EntityManager, { jobId, tenantId }: WorkedDeletion): Promise<PersonScope> {
  const users = await rows<{ id: string; userId: string }>(
    em,
    `select user_id as id, user_ext_id as "userId" from user_deletion where job_id = $1 and api_key_id = $2 order by user_id`,
    [jobId, tenantId],
  );
  const places = await rows<{ org_id: string }>(
    em,
    'select org_id from user_deletion_organization where job_id = $1 order by org_id',
    [jobId],
  );
  const organizations = places.map(({ org_id }) => org_id).filter((id) => id !== nowhere);
  return { tenantId, users, organizations: places.length === 0 ? null : organizations };
}

/** Where a walk over the places is: a name, and surrogate keys and times. */
export interface Stand {
  readonly place: string;
  readonly after: PersonCursor;
}

/** What a deletion has done so far. */
export interface Account {
  readonly counts: PersonCounts;
  readonly done_places: readonly string[];
  readonly stand: Stand | null;
  /** Null before the first. */
  readonly phase: DeletionPhase | null;
  /** The second scan has found nothing. */
  readonly verified: boolean;
}

/**
 * Locks a deletion that is in one of these phases (null: before the first) until the end of the transaction. Undefined
 * for one that has ended or was cancelled: then nothing may be done for it any more. Comes before every other lock.
 */
export async function lockDeletion(
  em: EntityManager,
  { jobId, tenantId }: Pick<WorkedDeletion, 'jobId' | 'tenantId'>,
  phases: readonly (DeletionPhase | null)[],
): Promise<Account | undefined> {
  const found = await row<Omit<Account, 'phase'> & { readonly phase: number | null }>(
    em,
    `select counts, done_places, stand, phase, verified_at is not null as verified from user_data_deletion
     where job_id = $1 and api_key_id = $2 and ended_at is null and coalesce(phase, 0) = any($3) for no key update`,
    [jobId, tenantId, phases.map((phase) => (phase === null ? 0 : phaseNumbers[phase]))],
  );
  return found && { ...found, phase: found.phase === null ? null : phaseName(found.phase) };
}

/** Takes a locked deletion into its next phase. */
export async function enterPhase(
  em: EntityManager,
  { jobId, tenantId }: WorkedDeletion,
  phase: DeletionPhase,
): Promise<void> {
  await rows(em, 'update user_data_deletion set phase = $3 where job_id = $1 and api_key_id = $2', [
    jobId,
    tenantId,
    phaseNumbers[phase],
  ]);
}

/** What a step has done, in the transaction of which it is written down: a repeated one counts once. */
export interface Booking {
  readonly counts: PersonCounts;
  /** Names of places where nothing is left to do. */
  readonly done: readonly string[];
  /** Where the next step begins, unless at the beginning of a place. */
  readonly stand: Stand | null;
}

/** Adds to the account of a locked deletion what was just done for it; answers the new counts. */
export async function book(
  em: EntityManager,
  deletion: WorkedDeletion,
  account: Account,
  { counts, done, stand }: Booking,
): Promise<PersonCounts> {
  const added = plus(account.counts, counts);
  const donePlaces = [...account.done_places, ...done];
  const [before, after] = [doneKinds(account.done_places).length, doneKinds(donePlaces).length];
  await rows(
    em,
    `with told as (
       update job set progress = json_build_object('done', $5::integer, 'total', $6::integer)
       where id = $1 and api_key_id = $2 and $7)
     update user_data_deletion set counts = $3, done_places = $4, stand = $8, last_task_at = case when $7 then now() else last_task_at end
     where job_id = $1 and api_key_id = $2`,
    [
      deletion.jobId,
      deletion.tenantId,
      JSON.stringify(added),
      donePlaces,
      deletion.users * after,
      tasksOf(deletion.users),
      after > before,
      stand === null ? null : JSON.stringify(stand),
    ],
  );
  return added;
}

function plus(one: PersonCounts, other: PersonCounts): PersonCounts {
  const sum: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
