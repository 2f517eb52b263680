import { sql } from 'kysely';
import { announce, type EntityManager } from '../../platform/database/orm.ts';
import { EventsRecorded } from '../events/events-recorded.ts';
import { resumeJobs } from '../job-handlers/due-jobs.ts';
import type { StartableJob } from '../jobs/job-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { WaitingEndpoint } from '../webhooks/delivery/find-waiting.ts';
import { restartFailingTime } from '../webhooks/endpoints/restart-failing-time.ts';
import { maxWoken, waitingEndpoints } from '../webhooks/endpoints/waiting-endpoints.ts';
import { isActive } from '../workspaces/key-activity.ts';

/** Jobs to start and workflows to wake after the commit. */
export interface Resumed {
  readonly jobs: readonly StartableJob[];
  readonly endpoints: readonly WaitingEndpoint[];
}

/**
 * Resumes the jobs and deliveries of a key, by surrogate key, or of a workspace. Has no effect on inactive keys.
 * `kinds`: kinds of endpoint rows that are served.
 */
export async function resumeKeys(
  em: EntityManager,
  whose: { readonly id: string } | { readonly workspaceId: string },
  kinds: readonly number[],
): Promise<Resumed> {
  const [column, value] =
    'id' in whose ? (['k.id', whose.id] as const) : (['k.workspace_id', whose.workspaceId] as const);
  const active = tablesOf(em).selectFrom('api_key as k').where(column, '=', value).where(isActive);
  const keys = await active.select(['k.id', 'k.public_id as keyId']).limit(sql.lit(maxWoken)).execute();
  // Wakes the dispatchers of the keys after the commit.
  for (const { keyId } of keys) announce(em, new EventsRecorded(keyId, 0));
  const ids = keys.map(({ id }) => id);
  // Nothing was sent while the keys were disabled.
  await restartFailingTime(em, sql<string>`${active.select('k.id')}`, 'all');
  return { jobs: await resumeJobs(em, ids), endpoints: await waitingEndpoints(em, ids, kinds) };
}
