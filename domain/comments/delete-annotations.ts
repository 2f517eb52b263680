import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import { lastKey } from '../last-key.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';
import { removeDependents } from './remove-threads.ts';
import { lockSelected, type SelectedThread, type ThreadSelection } from './select-threads.ts';

/** Max annotations that one call deletes, and rows of each table below them. A job deletes the others. */
const maxPerCall = { threads: 1_000, rows: 10_000 } as const;

export interface AnnotationDeletion {
  readonly outcomes: Outcomes;
  /** The threads that the call has deleted. */
  readonly deleted: readonly SelectedThread[];
  /** Deletes the annotations, comments and reactions beyond the limits of the call. */
  readonly job: CreatedJob | undefined;
}

/** Deletes annotations: their comments are invisible and their ids free at once. */
export async function deleteAnnotations(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: ThreadSelection,
): Promise<AnnotationDeletion> {
  const found = await lockSelected(em, tenant.id, selection, maxPerCall.threads + 1);
  const deleted = found.slice(0, maxPerCall.threads);
  const threads = deleted.map(({ id }) => id);
  await deleteThreads(em, threads);
  const { more } = await removeDependents(em, threads, maxPerCall.rows);
  const rest = found.length > maxPerCall.threads ? { ...selection, upTo: await lastKey(em, 'thread') } : null;
  const known = new Set(deleted.map(({ ext_id }) => ext_id));
  const requested = selection.annotationIds ?? [...known];
  return {
    outcomes: new Map(
      requested.map((id) => [
        id,
        known.has(id) ? done('Deleted Successfully') : failed('not-found', commentTexts.annotationMissing),
      ]),
    ),
    deleted,
    job:
      more || rest !== null
        ? await createRemovalJob(em, tenant, organization, { orphaned: more ? threads : [], rest })
        : undefined,
  };
}

async function deleteThreads(em: EntityManager, threads: readonly string[]): Promise<void> {
  if (threads.length === 0) return;
  await sql`delete from thread where id = any(${threads}::bigint[])`.execute(tablesOf(em));
}

/** What a call has left to a job. */
export interface RemainingThreads {
  /** Surrogate keys of deleted threads, max 1,000, whose comments and reactions are left. */
  readonly orphaned: readonly string[];
  /** Threads that the call has not deleted. */
  readonly rest: ThreadSelection | null;
}

/** A release that does not know the selection fails and retries, until this one works on the job: the lists of a cascade are absent. */
async function createRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: RemainingThreads,
): Promise<CreatedJob> {
  const request = { records: { of: 'threads', selection } };
  return createJob(em, tenant, { kind: cascadeKind, organization, request });
}

/** Rows of each table that one step removes, and threads that it looks at. */
const step = { rows: 5_000, threads: 500 } as const;

/** Removes the next batch in one short transaction, each thread with everything below it. Returns the number of rows, 0 at the end. */
export async function removeRemainingThreads(
  em: EntityManager,
  tenantId: string,
  { orphaned, rest }: RemainingThreads,
): Promise<number> {
  const { rows } = await removeDependents(em, orphaned, step.rows);
  if (rows > 0 || rest === null) return rows;
  const next = leading(await lockSelected(em, tenantId, rest, step.threads));
  const threads = next.map(({ id }) => id);
  await deleteThreads(em, threads);
  let removed = next.length;
  for (let more = next.length > 0; more;) {
    const batch = await removeDependents(em, threads, step.rows);
    removed += batch.rows;
    ({ more } = batch);
  }
  return removed;
}

/** The leading threads with up to `step.rows` comments and reactions, at least one. */
function leading(threads: readonly SelectedThread[]): readonly SelectedThread[] {
  let rows = 0;
  const end = threads.findIndex(({ comment_count, reaction_count }) => {
    rows += comment_count + reaction_count;
    return rows > step.rows;
  });
  return end === -1 ? threads : threads.slice(0, Math.max(end, 1));
}
