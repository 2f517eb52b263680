import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockForDeletion } from '../users/lock-users.ts';
import { tasksOf } from './deletion-tasks.ts';

/** Customer's ids. */
export interface DeletionWish {
  readonly userIds: readonly string[];
  /** Undefined is every organization of the key. */
  readonly organizationIds: readonly string[] | undefined;
  /** Counts, and deletes nothing. */
  readonly dryRun: boolean;
}

export interface AcceptedDeletion extends CreatedJob {
  readonly tasksCount: number;
}

/**
 * Stands among the organizations of a deletion that names some: one whose organizations are all unknown deletes nothing,
 * for none at all would mean all of the key's. No organization has it.
 */
export const nowhere = '0';

/**
 * Records the wish to delete people's data: a row a user and a row an organization, whatever the amount of data. The
 * pending job is what starts the workflow: at once after the commit, or by the sweep. Unknown users get a bare row, so
 * that there is something to fence; a dry run makes none.
 */
export async function acceptDeletion(
  em: EntityManager,
  tenant: Tenant,
  { userIds, organizationIds, dryRun }: DeletionWish,
): Promise<AcceptedDeletion> {
  const known = await knownUsers(em, tenant, userIds);
  const users = dryRun ? known : await lockForDeletion(em, tenant, userIds);
  const job = await createJob(em, tenant, { kind: 'user-data-deletion', organization: null, request: {} });
  const tasksCount = tasksOf(userIds.length);
  await rows(
    em,
    `with detail as (
       insert into user_data_deletion (job_id, api_key_id, public_id, dry_run, users, organization_ids)
       values ($1, $2, $3, $4, $5, $6)),
     named as (
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, known)
       select $1, u.id, u.ext_id, $2, u.known from unnest($7::bigint[], $8::text[], $9::boolean[]) as u (id, ext_id, known)),
     places as (
       insert into user_deletion_organization (job_id, org_id)
       select $1, o.id from organization o where o.api_key_id = $2 and o.ext_id = any($10)
       union all select $1, ${nowhere} where $10::text[] is not null)
     update job set progress = json_build_object('done', 0, 'total', $11::integer) where id = $1 and api_key_id = $2`,
    [
      job.id,
      tenant.id,
      job.jobId,
      dryRun,
      userIds.length,
      organizationIds === undefined ? null : JSON.stringify(organizationIds),
      [...users.values()],
      [...users.keys()],
      [...users.keys()].map((userId) => known.has(userId)),
      organizationIds ?? null,
      tasksCount,
    ],
  );
  return { ...job, tasksCount };
}

/** Surrogate keys by the customer's id. */
async function knownUsers(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await rows<{ id: string; ext_id: string }>(
    em,
    'select id, ext_id from app_user where api_key_id = $1 and ext_id = any($2)',
    [tenant.id, userIds],
  );
  return new Map(found.map(({ ext_id, id }) => [ext_id, id]));
}
