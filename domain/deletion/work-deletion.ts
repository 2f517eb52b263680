import type { EntityManager } from '../../platform/database/orm.ts';
import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import { nowhere } from './accept-deletion.ts';
import { phaseName, phaseNumbers, type DeletionPhase } from './deletion-phases.ts';
import { doneKinds, tasksOf } from './deletion-tasks.ts';
import type { DeletionKey } from './pseudonyms.ts';
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
  return tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('user_data_deletion as d', 'd.job_id', 'j.id')
    .innerJoin('api_key as k', 'k.id', 'd.api_key_id')
    .select(['d.job_id as jobId', 'd.public_id as publicId', 'd.api_key_id as tenantId'])
    .select(['k.public_id as keyId', 'd.dry_run as dryRun', 'd.users', 'd.created_at as createdAt'])
    .where('j.public_id', '=', jobId)
    .where('d.ended_at', 'is', null)
    .executeTakeFirst();
}

/** Whose data, and where. */
export async function scopeOf(em: EntityManager, { jobId, tenantId }: WorkedDeletion): Promise<PersonScope> {
  const users = await tablesOf(em)
    .selectFrom('user_deletion')
    .select(['user_id as id', 'user_ext_id as userId'])
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId)
    .orderBy('user_id')
    .$narrowType<{ userId: string }>()
    .execute();
  const places = await tablesOf(em)
    .selectFrom('user_deletion_organization')
    .select('org_id')
    .where('job_id', '=', jobId)
    .orderBy('org_id')
    .execute();
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
  { jobId, tenantId }: DeletionKey,
  phases: readonly (DeletionPhase | null)[],
): Promise<Account | undefined> {
  const numbers = phases.map((phase) => (phase === null ? 0 : phaseNumbers[phase]));
  const found = await tablesOf(em)
    .selectFrom('user_data_deletion')
    .select(['counts', 'done_places', 'stand', 'phase'])
    .select(sql<boolean>`verified_at is not null`.as('verified'))
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`coalesce(phase, 0) = any(${numbers}::smallint[])`)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found && { ...found, phase: found.phase === null ? null : phaseName(found.phase) };
}

/** Takes a locked deletion into its next phase. */
export async function enterPhase(
  em: EntityManager,
  deletion: WorkedDeletion,
  phase: DeletionPhase,
): Promise<void> {
  await updateDeletion(em, deletion).set({ phase: phaseNumbers[phase] }).execute();
}

/** To be given what it sets. */
export const updateDeletion = (em: EntityManager, { jobId, tenantId }: DeletionKey) =>
  tablesOf(em)
    .updateTable('user_data_deletion')
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId);

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
  const { jobId, tenantId, users } = deletion;
  const ended = sql`${after > before}::boolean`;
  await sql`with told as (
      update job set progress = json_build_object('done', ${users * after}::integer, 'total', ${tasksOf(users)}::integer)
      where id = ${jobId} and api_key_id = ${tenantId} and ${ended})
    update user_data_deletion set counts = ${JSON.stringify(added)}, done_places = ${donePlaces},
      stand = ${stand === null ? null : JSON.stringify(stand)}, last_task_at = case when ${ended} then now() else last_task_at end
    where job_id = ${jobId} and api_key_id = ${tenantId}`.execute(tablesOf(em));
  return added;
}

function plus(one: PersonCounts, other: PersonCounts): PersonCounts {
  const sum: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
