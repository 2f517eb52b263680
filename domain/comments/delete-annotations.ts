import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { lastKey } from '../last-key.ts';
import type { NotificationLocation } from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';
import { emitDeletedThreads, type DeletionTriggers } from './emission/emit-deleted-threads.ts';
import { createThreadRemovalJob, type RemainingThreads } from './removal-job.ts';
import { removeThreadNotifications } from './remove-thread-notifications.ts';
import { deleteThreads, removeDependents } from './remove-threads.ts';
import { lockSelected, type SelectedThread, type ThreadSelection } from './select-threads.ts';

/**
 * Max annotations that one call deletes, max rows of each table below them, and max annotations that its filters examine.
 * A job deletes the others.
 */
const maxPerCall = { threads: 1_000, rows: 10_000, examined: 20_000 } as const;

/** The result of a call, with an outcome for each requested or deleted annotation. */
export interface AnnotationDeletion {
  readonly outcomes: Outcomes;
  /** The threads that the call has deleted. */
  readonly deleted: readonly SelectedThread[];
  /** Deletes the annotations, comments, reactions and notifications beyond the limits of the call. */
  readonly job: CreatedJob | undefined;
}

/** Deletes annotations. Their comments are invisible and their ids free at commit. */
export async function deleteAnnotations(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  selection: ThreadSelection,
  triggers: DeletionTriggers,
): Promise<AnnotationDeletion> {
  const { threads: deleted, rest: left } = await lockSelected(em, tenant.id, selection, {
    max: maxPerCall.threads,
    maxExamined: maxPerCall.examined,
  });
  const threads = deleted.map(({ id }) => id);
  await emitDeletedThreads(em, tenant, location, threads, triggers);
  const below = await removeThreads(em, tenant, threads);
  const rest = left ? { ...selection, upTo: await lastKey(em, 'thread'), after: left.after } : null;
  const known = new Set(deleted.map(({ ext_id }) => ext_id));
  const requested = selection.annotationIds ?? [...known];
  const { organization: id, organizationId } = location;
  return {
    outcomes: new Map(
      requested.map((annotationId) => [
        annotationId,
        known.has(annotationId)
          ? done('Deleted Successfully')
          : failed('not-found', commentTexts.annotationMissing),
      ]),
    ),
    deleted,
    job: await createThreadRemovalJob(
      em,
      tenant,
      { id, organizationId },
      { ...below, notifications: null, rest },
    ),
  };
}

/**
 * Deletes up to 1,000 locked threads with their comments, reactions and notifications. Returns what is left to a job.
 */
export async function removeThreads(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  threads: readonly string[],
): Promise<Pick<RemainingThreads, 'orphaned' | 'audiences'>> {
  await deleteThreads(em, threads);
  const dependents = await removeDependents(em, threads, maxPerCall.rows);
  const notifications = await removeThreadNotifications(em, tenant.id, { threads, comments: null });
  const more = dependents.more || notifications.more;
  return { orphaned: more ? threads : [], audiences: notifications.audiences };
}
