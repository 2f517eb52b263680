import { sql, type InferResult } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { notFound } from '../errors.ts';
import { epochMilliseconds } from '../sql-times.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { pseudonymsOf, type Pseudonym } from '../signing/pseudonyms.ts';
import type { PersonalDataCounts } from './stores/personal-data-store.ts';
import { openUsers, readDeletionUsers, type DeletionKey } from './deletion-users.ts';
import { lateAfterMs } from './late-deletions.ts';
import { openReceipt } from './receipt.ts';
import type { Receipt } from './user-data-deletion.entity.ts';

/** The status of a deletion. Times are milliseconds since the epoch. */
export interface DeletionRow {
  readonly public_id: string;
  readonly status: number;
  readonly phase: number | null;
  readonly dry_run: boolean;
  readonly users: number;
  readonly counts: PersonalDataCounts;
  /** Names of completed stores. */
  readonly done_stores: readonly string[];
  readonly last_task_at: number | null;
  readonly verified: boolean;
  readonly receipt: Receipt | null;
  /** Empty for a dry run, and after the job is deleted. */
  readonly pseudonyms: readonly Pseudonym[];
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly late: boolean;
  /** Whether the deletion is limited to named organizations. */
  readonly scoped: boolean;
  /** Whether rows of an earlier release are still being indexed. */
  readonly indexing: boolean;
}

/** SQL: the job's status, derived after the job is deleted 90 days after its end. */
const status = sql<number>`coalesce(j.status, case when d.verified_at is not null or d.dry_run
  then ${jobStatusNumbers.completed}::smallint else ${jobStatusNumbers.failed}::smallint end)`;

/** SQL: whether the job was marked as late, derived from the duration after the job is deleted. */
const late = sql<boolean>`case when j.id is not null then j.late_at is not null
  else not d.dry_run and coalesce(d.ended_at >= d.created_at + ${lateAfterMs} * interval '1 millisecond', false) end`;

const indexing = sql<boolean>`d.ended_at is null
  and exists (select from json_name_build b where b.kind > 0 and b.ended_at is null)`;

const deletionOf = (em: EntityManager, tenant: Tenant, publicId: string) =>
  tablesOf(em)
    .selectFrom('user_data_deletion as d')
    .leftJoinLateral(
      (jobs) =>
        jobs.selectFrom('job as w').selectAll().whereRef('w.id', '=', 'd.job_id').limit(sql.lit(1)).as('j'),
      (join) => join.onTrue(),
    )
    .select(['d.job_id', 'd.jws_enc', 'd.users_enc', 'd.public_id', 'd.dry_run', 'd.users', 'd.counts'])
    .select(['d.done_places as done_stores', 'd.receipt', status.as('status')])
    .select(sql<number | null>`case when d.ended_at is null then d.phase end`.as('phase'))
    .select(epochMilliseconds<number | null>('d.last_task_at').as('last_task_at'))
    .select(sql<boolean>`d.verified_at is not null`.as('verified'))
    .select(epochMilliseconds('d.created_at').as('created_at'))
    .select(epochMilliseconds<number | null>('d.ended_at').as('ended_at'))
    .select(late.as('late'))
    .select(sql<boolean>`d.organization_ids is not null`.as('scoped'))
    .select(indexing.as('indexing'))
    .where('d.api_key_id', '=', tenant.id)
    .where('d.public_id', '=', publicId);

type StoredRow = InferResult<ReturnType<typeof deletionOf>>[number];

/** Throws NOT_FOUND for a deletion that is unknown or another key's. */
export async function readDeletion(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
  publicId: string,
): Promise<DeletionRow> {
  const found = await deletionOf(em, tenant, publicId).executeTakeFirst();
  if (found === undefined) throw notFound(messages.jobMissing);
  const { job_id: jobId, jws_enc, users_enc: _sealed, ...deletion } = found;
  const key = { jobId, tenantId: tenant.id };
  const userIds = await coveredUsers(em, keyRing, key, found);
  return {
    ...deletion,
    receipt: openReceipt(keyRing, key, { receipt: deletion.receipt, jws_enc }),
    pseudonyms: await pseudonymsOf(em, keyRing, tenant.id, userIds),
  };
}

/** Returns the userIds: stored in plain text while the deletion runs, then encrypted until its job is deleted. */
async function coveredUsers(
  em: EntityManager,
  keyRing: KeyRing,
  key: DeletionKey,
  { dry_run, ended_at, users_enc }: StoredRow,
): Promise<string[]> {
  if (dry_run) return [];
  if (ended_at === null) return readDeletionUsers(em, key);
  return users_enc === null ? [] : openUsers(keyRing, key, users_enc);
}
