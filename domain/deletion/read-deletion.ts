import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { row } from '../../platform/database/sql.ts';
import { notFound } from '../errors.ts';
import { epochMilliseconds } from '../jobs/job-times.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { PersonCounts } from './places/place.ts';
import { openUsers, pseudonymsOf, usersOf, type DeletionKey, type Pseudonym } from './pseudonyms.ts';
import { openReceipt, type Receipt } from './receipt.ts';

/** How a deletion stands; times are milliseconds. */
export interface DeletionRow {
  readonly public_id: string;
  readonly status: number;
  readonly phase: number | null;
  readonly dry_run: boolean;
  readonly users: number;
  readonly counts: PersonCounts;
  readonly done_places: readonly string[];
  readonly last_task_at: number | null;
  readonly verified: boolean;
  readonly receipt: Receipt | null;
  /** Empty for a dry run, and once the job is gone. */
  readonly pseudonyms: readonly Pseudonym[];
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly late: boolean;
  /** In named organizations. */
  readonly scoped: boolean;
  /** It waits for the index over rows of an earlier release. */
  readonly indexing: boolean;
}

/** The job goes 90 days after its end, what it did is kept as long as the receipt. */
const status = `coalesce(j.status, case when d.verified_at is not null or d.dry_run
  then ${String(jobStatusNumbers.completed)} else ${String(jobStatusNumbers.failed)} end)`;

type StoredRow = Omit<DeletionRow, 'pseudonyms'> & {
  readonly job_id: string;
  readonly jws_enc: Buffer | null;
  readonly users_enc: Buffer | null;
};

/** Throws NOT_FOUND for a deletion that is unknown or another key's. */
export async function readDeletion(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
  publicId: string,
): Promise<DeletionRow> {
  const found = await row<StoredRow>(
    em,
    `select d.job_id, d.jws_enc, d.users_enc, d.public_id, ${status} as status, case when d.ended_at is null then d.phase end as phase, d.dry_run, d.users, d.counts,
       d.done_places, ${epochMilliseconds('d.last_task_at')} as last_task_at, d.verified_at is not null as verified, d.receipt,
       ${epochMilliseconds('d.created_at')} as created_at, ${epochMilliseconds('d.ended_at')} as ended_at,
       j.late_at is not null as late,
       d.organization_ids is not null as scoped,
       d.ended_at is null and exists (select from json_name_build b where b.kind > 0 and b.ended_at is null) as indexing
     from user_data_deletion d left join lateral (select * from job w where w.id = d.job_id limit 1) j on true
     where d.api_key_id = $1 and d.public_id = $2`,
    [tenant.id, publicId],
  );
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

/** In clear while the deletion runs, which needs them; encrypted from its end until its job goes. */
async function coveredUsers(
  em: EntityManager,
  keyRing: KeyRing,
  key: DeletionKey,
  { dry_run, ended_at, users_enc }: StoredRow,
): Promise<string[]> {
  if (dry_run) return [];
  if (ended_at === null) return usersOf(em, key);
  return users_enc === null ? [] : openUsers(keyRing, key, users_enc);
}
