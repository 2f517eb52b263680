import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { maxBigint } from '../bigint-range.ts';
import { lockDocument } from '../documents/resolve-document.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { lastKey } from '../last-key.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPeople } from '../users/lock-named.ts';
import { namedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import type { NamedUser } from './comment.entity.ts';
import { commentTexts } from './comment-texts.ts';
import { emitDeletedThreads } from './emission/emit-deleted-threads.ts';
import { createThreadRemovalJob, type RemainingThreads } from './removal-job.ts';
import { removeThreadNotifications } from './remove-thread-notifications.ts';
import { deleteThreads, removeDependents } from './remove-threads.ts';
import { userKeys } from './resolve-query.ts';
import { lockSelected, urlHash, type ThreadSelection } from './select-threads.ts';

/**
 * Max annotations that one call deletes, max rows of each table below them, and max annotations that its filters examine.
 * A job deletes the others.
 */
const maxPerCall = { threads: 1_000, rows: 10_000, examined: 20_000 } as const;

/** The annotations of a document to delete, by the customer's ids. Conditions are combined with AND. */
export interface AnnotationDeletionRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly annotationIds?: readonly string[] | undefined;
  readonly locationIds?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
  readonly agentId?: string | undefined;
  readonly agentSuggestions?: boolean | undefined;
  readonly agentUrls?: readonly string[] | undefined;
  /** Required with a trigger. */
  readonly actionUser?: NamedUser | undefined;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** The result of a call, with an outcome for each requested or deleted annotation. */
export interface AnnotationDeletion {
  readonly outcomes: Outcomes;
  /** The number of annotations that the call has deleted. */
  readonly deletedCount: number;
  /** Deletes the annotations, comments, reactions and notifications beyond the limits of the call. */
  readonly job: CreatedJob | undefined;
}

/** Deletes annotations. Their comments are invisible and their ids free at commit. */
export async function deleteAnnotations(
  em: EntityManager,
  tenant: Tenant,
  request: AnnotationDeletionRequest,
): Promise<AnnotationDeletion> {
  const { organizationId, documentId, annotationIds, userIds, actionUser } = request;
  const people = namedPeople(actionUser);
  refuseManyUsers(people.userIds.size);
  const { id: organization } = await lockOrganization(em, tenant, organizationId);
  const { id: document } = await lockDocument(em, tenant, { id: organization }, documentId);
  if (actionUser !== undefined) await lockPeople(em, tenant, people, [organization]);
  const selection: ThreadSelection = {
    organization,
    document,
    annotationIds: annotationIds ?? null,
    locationIds: request.locationIds ?? null,
    creators: userIds === undefined ? null : [...(await userKeys(em, tenant, userIds)).values()],
    agentId: request.agentId ?? null,
    agentSuggestions: request.agentSuggestions === true,
    agentUrls: request.agentUrls?.map(urlHash) ?? null,
    upTo: maxBigint,
  };
  const { threads: deleted, rest: left } = await lockSelected(em, tenant.id, selection, {
    max: maxPerCall.threads,
    maxExamined: maxPerCall.examined,
  });
  const threads = deleted.map(({ id }) => id);
  const location = { organization, organizationId, document, documentId };
  await emitDeletedThreads(em, tenant, location, threads, { ...request, actor: actionUser ?? null });
  const below = await removeThreads(em, tenant, threads);
  const rest = left ? { ...selection, upTo: await lastKey(em, 'thread'), after: left.after } : null;
  const known = new Set(deleted.map(({ ext_id }) => ext_id));
  const requested = annotationIds ?? [...known];
  return {
    outcomes: new Map(
      requested.map((annotationId) => [
        annotationId,
        known.has(annotationId)
          ? done('Deleted Successfully')
          : failed('not-found', commentTexts.annotationMissing),
      ]),
    ),
    deletedCount: deleted.length,
    job: await createThreadRemovalJob(
      em,
      tenant,
      { id: organization, organizationId },
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
