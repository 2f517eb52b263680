import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { deletionKind } from '../jobs/job-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockForDeletion } from '../users/lock-users.ts';
import { tasksOf } from './deletion-tasks.ts';

/** Ids are the customer's. */
export interface DeletionRequest {
  readonly userIds: readonly string[];
  /** Undefined means every organization of the API key. */
  readonly organizationIds: readonly string[] | undefined;
  /** Counts the data without deleting it. */
  readonly dryRun: boolean;
  /** The job of a deletion that completed before the database was restored; it runs again with this id. */
  readonly replayed?: string;
}

/** The job of an accepted deletion. `tasksCount`: users × kinds of personal data. */
export interface AcceptedDeletion extends CreatedJob {
  readonly tasksCount: number;
}

/**
 * A surrogate key that no organization has, stored with every deletion in named organizations. Without it, a deletion
 * whose organizations are all unknown would cover every organization.
 */
export const noOrganization = '0';

/**
 * Records a request to delete people's data: one row per user and per organization. The pending job starts the workflow
 * after the commit, or by the sweep. Unknown users get a bare row to fence; a dry run creates none.
 */
export async function acceptDeletion(
  em: EntityManager,
  tenant: Pick<Tenant, 'id' | 'keyId' | 'requestId'>,
  { userIds, organizationIds, dryRun, replayed }: DeletionRequest,
): Promise<AcceptedDeletion> {
  const known = await knownUsers(em, tenant, userIds);
  const users = dryRun ? known : await lockForDeletion(em, tenant, userIds);
  const tasksCount = tasksOf(userIds.length);
  const job = await createJob(em, tenant, {
    kind: deletionKind,
    organization: null,
    request: {},
    total: tasksCount,
    replayed,
  });
  const [jobId, tenantId, names] = [sql`${job.id}::bigint`, sql`${tenant.id}::bigint`, [...users.keys()]];
  await sql`with detail as (
      insert into user_data_deletion (job_id, api_key_id, public_id, dry_run, users, organization_ids)
      values (${jobId}, ${tenantId}, ${job.jobId}, ${dryRun}, ${userIds.length},
        ${organizationIds === undefined ? null : JSON.stringify(organizationIds)})),
    named as (
      insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, known)
      select ${jobId}, u.id, u.ext_id, ${tenantId}, u.known
      from unnest(${[...users.values()]}::bigint[], ${names}::text[], ${names.map((name) => known.has(name))}::boolean[])
        as u (id, ext_id, known))
    insert into user_deletion_organization (job_id, org_id)
    select ${jobId}, o.id from organization o where o.api_key_id = ${tenantId} and o.ext_id = any(${organizationIds ?? null}::text[])
    union all select ${jobId}, ${noOrganization}::bigint where ${organizationIds ?? null}::text[] is not null`.execute(
    tablesOf(em),
  );
  return { ...job, tasksCount };
}

/** Returns surrogate keys by customer's id. */
async function knownUsers(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await tablesOf(em)
    .selectFrom('app_user')
    .select(['id', 'ext_id'])
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', anyOf(userIds))
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Map(found.map(({ ext_id, id }) => [ext_id, id]));
}
