import type { EntityManager } from '../../platform/database/orm.ts';
import { inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import { required } from '../../platform/process/required.ts';
import { done, failed, type FailedOutcome, type Outcome } from '../batch.ts';
import { lockLocationAndPeople } from '../documents/lock-location-and-people.ts';
import { lockLocationsAndRead, type LocationRequest } from '../documents/lock-location.ts';
import { aborted, invalidMember } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import {
  accessByRule,
  type MayReachDocument,
  type NotificationLocation,
} from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import type { NamedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { commentTexts } from './comment-texts.ts';
import { addedComment } from './emission/added-comment.ts';
import type { ThreadChange } from './emission/change.ts';
import { emitChanges } from './emission/emit-changes.ts';
import { readEmitted } from './emission/read-emitted.ts';
import { insertThreads, readHashes, type InsertedThread } from './insert-threads.ts';
import {
  peopleOfAnnotations,
  prepareAnnotation,
  type AnnotationInput,
  type PreparedAnnotation,
} from './prepare-annotation.ts';
import { removeLeftToJobs } from './remove-left-to-jobs.ts';
import { threadLimits } from './thread-limits.ts';
import { refusePrivate } from './visibility.ts';

/** Annotations to add to one document. */
export interface AnnotationsRequest extends Omit<LocationRequest, 'userIds' | 'sharesNames'> {
  /** With distinct ids. */
  readonly annotations: readonly AnnotationInput[];
  /** Adds only comments of users with access to the document. */
  readonly verifyUserPermissions: boolean;
  /** Decisions of the permission provider, called beforehand; undefined for keys without one. */
  readonly byProvider: MayReachDocument | undefined;
}

/** What an outcome says of an annotation that is now stored. `findingId` is absent when none was sent. */
interface Addition {
  readonly commentIds: number[];
  readonly findingId?: string;
}

/** An outcome with the annotation's id and its position in the request. */
export type AnnotationOutcome = Outcome<Addition & { readonly annotationId: string; readonly index: number }>;

/** Outcomes by annotation id. */
export interface AddedAnnotations {
  readonly outcomes: ReadonlyMap<string, AnnotationOutcome>;
  /** Notifies the remaining recipients; undefined when there are none. */
  readonly job: CreatedJob | undefined;
  /** Deletes what former annotations of these ids have left; undefined when nothing remains. */
  readonly removal: CreatedJob | undefined;
}

/** Max comments per call. */
const maxPerCall = 1_000;

/**
 * Adds annotations with their comments; each item succeeds or fails alone. Repeating an item changes nothing. An annotation
 * that a job is still to delete counts as deleted.
 */
export async function addAnnotations(
  em: EntityManager,
  tenant: Tenant,
  request: AnnotationsRequest,
): Promise<AddedAnnotations> {
  const { prepared, people } = await prepareAnnotations(em, tenant, request.annotations);
  const mayWrite = await accessOf(em, tenant, request, prepared);
  const refused = new Map<string, FailedOutcome>();
  for (const annotation of prepared) {
    const refusal = refusalOf(annotation, mayWrite);
    if (refusal !== undefined) refused.set(annotation.annotationId, refusal);
  }
  const allowed = prepared.filter(({ annotationId }) => !refused.has(annotationId));
  // Does not create users that only refused annotations name.
  const named = refused.size === 0 ? people : peopleOfAnnotations(allowed);
  const { organizationId, documentId } = request;
  const location = {
    ...(await lockLocationAndPeople(em, tenant, request, named)),
    organizationId,
    documentId,
  };
  const added: InsertedThread[] = [];
  const inserted = new Set<string>();
  const notInserted = () => allowed.map(({ annotationId }) => annotationId).filter((id) => !inserted.has(id));
  const insert = async (annotations: readonly PreparedAnnotation[]) => {
    for (const thread of await insertThreads(em, tenant, location, annotations)) {
      added.push(thread);
      inserted.add(thread.annotation.annotationId);
    }
  };
  await insert(allowed);
  const removed = await removeLeftToJobs(em, tenant, location, notInserted());
  await insert(allowed.filter(({ annotationId }) => removed.annotationIds.has(annotationId)));
  const others = notInserted();
  const existing = await readHashes(em, tenant, location, others);
  // A job or a concurrent call may have deleted some of them after the first attempt, so their ids are free.
  const freed = new Set(others.filter((id) => !existing.has(id)));
  await insert(allowed.filter(({ annotationId }) => freed.has(annotationId)));
  const outcomes = prepared.map((annotation): [string, AnnotationOutcome] => {
    const { annotationId } = annotation;
    const outcome =
      refused.get(annotationId) ??
      (inserted.has(annotationId) ? additionOf(annotation) : repeated(annotation, existing));
    return [annotationId, { ...outcome, annotationId, index: annotation.index }];
  });
  const job = await emitAdded(em, tenant, location, added);
  return { outcomes: new Map(outcomes), job, removal: removed.job };
}

/**
 * Prepares annotations. Throws for what a call may not contain, whatever is stored; with a permission provider it is called
 * before the provider, and before the document is created.
 */
export async function prepareAnnotations(
  em: EntityManager,
  tenant: Tenant,
  annotations: readonly AnnotationInput[],
): Promise<{ readonly prepared: readonly PreparedAnnotation[]; readonly people: NamedPeople }> {
  refuseManyComments(annotations);
  const prepared = await inTurns(prepareAll(annotations));
  const people = peopleOfAnnotations(prepared);
  refuseManyUsers(people.userIds.size);
  await refusePrivate(
    em,
    tenant,
    prepared.map(({ body }) => body.visibilityConfig),
  );
  return { prepared, people };
}

function* prepareAll(annotations: readonly AnnotationInput[]): Pausable<readonly PreparedAnnotation[]> {
  const prepared: PreparedAnnotation[] = [];
  for (const annotation of annotations) prepared.push(yield* prepareAnnotation(annotation));
  return prepared;
}

/** Emits the addition of each annotation, which includes its first comment, and the additions of its other comments. */
async function emitAdded(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  added: readonly InsertedThread[],
): Promise<CreatedJob | undefined> {
  const emitting = added.filter(({ comments }) =>
    comments.some(({ comment }) => comment.triggerNotification || comment.triggerActivities),
  );
  const emitted = await readEmitted(
    em,
    emitting.map(({ thread }) => thread),
  );
  const changes = emitting.flatMap(({ thread, annotation, comments, keys }) => {
    const state = required(emitted.get(thread), 'row of an inserted thread');
    return comments.map((comment, at): ThreadChange => {
      const type = at === 0 ? 'comment_annotation.add' : 'comment.add';
      const key = required(keys.get(comment.comment.commentId), 'key of an inserted comment');
      return { ...addedComment(type, annotation.annotationId, comment, key), ...state };
    });
  });
  return emitChanges(em, tenant, location, changes);
}

function additionOf({ comments }: PreparedAnnotation): Outcome<Addition> {
  const findingId = comments[0]?.body.agent?.reason?.findingId;
  const commentIds = comments.map(({ commentId }) => commentId);
  return done('Added Successfully', { commentIds, ...(findingId !== undefined && { findingId }) });
}

function repeated(
  annotation: PreparedAnnotation,
  existing: ReadonlyMap<string, Buffer | null>,
): Outcome<Addition> {
  const hash = existing.get(annotation.annotationId);
  // Other calls added the annotation and deleted it between the statements.
  if (hash === undefined) throw aborted();
  return hash?.equals(annotation.hash) === true
    ? additionOf(annotation)
    : failed('already-exists', commentTexts.annotationExists);
}

function refusalOf(
  { contentBytes, comments }: PreparedAnnotation,
  mayWrite: MayWrite,
): FailedOutcome | undefined {
  if (contentBytes > threadLimits.contentBytes)
    return failed('failed-precondition', commentTexts.tooManyBytes);
  const allowed = comments.every(({ body }) => mayWrite(body.from.userId));
  return allowed ? undefined : failed('permission-denied', commentTexts.noDocumentAccess);
}

/** Whether a user, by the customer's id, may write comments in the document. */
type MayWrite = (userId: string) => boolean;

/** Locks the document, which it creates if the call may: its folder and access type decide. */
async function accessOf(
  em: EntityManager,
  tenant: Tenant,
  request: AnnotationsRequest,
  prepared: readonly PreparedAnnotation[],
): Promise<MayWrite> {
  const { organizationId, documentId, byProvider, verifyUserPermissions } = request;
  if (!verifyUserPermissions) return () => true;
  const location = { documentId };
  if (byProvider !== undefined) return (userId) => byProvider({ userId, location });
  const authors = new Set(prepared.flatMap(({ comments }) => comments.map(({ body }) => body.from.userId)));
  const people = [...authors].map((userId) => ({ userId, location }));
  const named = { organizationId, userIds: [...authors] };
  const { read: mayReach } = await refusingFencedFirst(em, tenant, named, async () =>
    lockLocationsAndRead(em, tenant, [{ ...request, userIds: [] }], async () =>
      accessByRule(em, tenant, organizationId, people),
    ),
  );
  return (userId) => mayReach({ userId, location });
}

function refuseManyComments(annotations: readonly AnnotationInput[]): void {
  const count = annotations.reduce((sum, { comments }) => sum + comments.length, 0);
  if (count <= maxPerCall) return;
  const text = `commentAnnotations must hold at most ${String(maxPerCall)} comments, not ${String(count)}.`;
  throw invalidMember('commentAnnotations', text);
}
