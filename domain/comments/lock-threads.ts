import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';
import { isThreadLeftToJob } from './left-to-job.ts';

/** Columns of a locked thread that writers of its comments need. Counters are exact under the lock. */
const LockedThreadRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  creator_id: z.string().nullable(),
  visibility: z.literal([0, 1, 2]),
  created_at: z.string(),
  updated_at: z.string(),
  last_comment_id: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
  content_bytes: z.number(),
  content_hash: z.instanceof(Buffer).nullable(),
});
export type LockedThread = z.infer<typeof LockedThreadRow>;

/** Surrogate keys of a location that the caller has locked. */
export interface ThreadLocation {
  readonly organization: string;
  readonly document: string;
}

/**
 * Locks threads of a document in the order of their keys, which prevents deadlocks. Omits unknown ids, and threads that a
 * job is still to delete. Every write of a thread, comment or reaction takes this lock directly after `lockLocation`. The
 * lock serializes the writers of a thread and shows whether the thread was deleted.
 */
export async function lockThreads(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  { organization, document }: ThreadLocation,
  annotationIds: readonly string[],
): Promise<LockedThread[]> {
  return rowsOf(
    em,
    LockedThreadRow,
    sql`select id, ext_id, creator_id, visibility, created_at, updated_at, last_comment_id, comment_count, reaction_count,
        content_bytes, content_hash
      from thread t
      where org_id = ${organization} and ext_id = any(${annotationIds}::text[]) and document_id = ${document}
        and api_key_id + 0 = ${tenant.id} and not ${isThreadLeftToJob(organization)}
      order by id for update`,
  );
}

/** Locks one thread. Throws NOT_FOUND. */
export async function lockThread(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  location: ThreadLocation,
  annotationId: string,
): Promise<LockedThread> {
  const [thread] = await lockThreads(em, tenant, location, [annotationId]);
  if (thread === undefined) throw notFound(commentTexts.annotationMissing);
  return thread;
}
