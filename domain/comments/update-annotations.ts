import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { maxBigint } from '../bigint-range.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { byteChunks } from '../byte-chunks.ts';
import { lockLocation } from '../documents/lock-location.ts';
import { failedPrecondition } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { NotificationLocation } from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { mergedPeople, namedPeople, type NamedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { changedThread } from './changed-thread.ts';
import type { NamedUser } from './comment.entity.ts';
import { commentTexts } from './comment-texts.ts';
import { emitInChunks } from './emission/emit-changes.ts';
import { createNotifyRemainingJob } from './emission/remaining-job.ts';
import { emitUpdates, type UpdateTriggers } from './emission/updated-annotation.ts';
import { isThreadLeftToJob } from './left-to-job.ts';
import { movePeople } from './move-people.ts';
import { writeThread } from './prepare-annotation.ts';
import { readSizes, readStates } from './read-states.ts';
import { refuseLeftToJobs } from './remove-left-to-jobs.ts';
import type { Replacements } from './replace-users.ts';
import { userKeys } from './resolve-query.ts';
import { rewriteContents } from './rewrite-contents.ts';
import type { ContentChange, UserReplacement } from './rewrite-reactions.ts';
import { lockSelected, type SelectedThread, type ThreadSelection } from './select-threads.ts';
import { openStatus } from './thread.ts';
import { updateThreads, type UpdateKeys } from './update-threads.ts';
import type { AnnotationUpdate } from './updated-thread.ts';
import { refusePrivate } from './visibility.ts';
import { userKeyOf } from './write-comments.ts';

/**
 * Max annotations per call, with `users` max comments and reactions below them, and max annotations that the filters
 * examine.
 */
const maxPerCall = { threads: 1_000, contents: 10_000, examined: 100_000 } as const;

/** The annotations to update, and the update. */
export interface UpdateRequest extends UpdateTriggers {
  readonly organizationId: string;
  readonly documentId: string;
  /** Conditions, combined with AND; undefined matches all. `userIds`: the creators. */
  readonly annotationIds: readonly string[] | undefined;
  readonly locationIds: readonly string[] | undefined;
  readonly userIds: readonly string[] | undefined;
  readonly update: AnnotationUpdate;
  /** Users to replace in annotations, comments and reactions, before `update` is applied. */
  readonly users: Replacements;
  readonly actionUser: NamedUser | undefined;
}

/** The result of a call. */
export interface AnnotationUpdates {
  readonly outcomes: Outcomes;
  /** Notifies the remaining recipients; undefined when there are none. */
  readonly job: CreatedJob | undefined;
}

/** Updates the annotations of a document that match every condition, all or none. Repeating a call changes nothing. */
export async function updateAnnotations(
  em: EntityManager,
  tenant: Tenant,
  request: UpdateRequest,
): Promise<AnnotationUpdates> {
  const { organizationId, documentId, update, annotationIds } = request;
  const people = peopleOf(request);
  refuseManyUsers(people.userIds.size);
  const { visibility } = update;
  await refusePrivate(em, tenant, [visibility?.type === 'public' ? undefined : visibility]);
  const lockRequest = { organizationId, documentId, userIds: [...people.userIds] };
  const location = await lockLocation(em, tenant, lockRequest);
  await admitPeople(em, tenant, location.users, people, [location.organization]);
  const named = await userKeys(em, tenant, [...(request.userIds ?? []), ...request.users.keys()]);
  const selected = await lockMatching(em, tenant, request, location, named);
  const replacement = replacementOf(request.users, named, location.users);
  const actor = actorOf(request);
  const keys: UpdateKeys = {
    ...location,
    actor: actor === undefined ? null : userKeyOf(location.users, actor.userId),
  };
  const job = await updateSelected(em, tenant, request, {
    keys,
    selected,
    replacement,
    actor,
    location: { ...location, organizationId, documentId },
  });
  const known = new Set(selected.map(({ ext_id }) => ext_id));
  return {
    outcomes: outcomes(annotationIds ?? [...known], known, {
      ok: () => done('Annotations updated successfully'),
      otherwise: () => failed('not-found', commentTexts.annotationMissing),
    }),
    job,
  };
}

/** The users that the call names, except those that it replaces. */
function peopleOf({ update, users, actionUser }: UpdateRequest): NamedPeople {
  const { visibility, assignedTo, ...members } = update;
  const body = {
    ...members,
    status: openStatus,
    priority: undefined,
    commentType: 'manual',
    assignedTo: assignedTo ?? undefined,
    visibilityConfig: visibility,
  };
  const people = mergedPeople([writeThread(body).people, namedPeople(actionUser, ...users.values())]);
  for (const userId of [update.statusUpdatedByUserId, update.resolvedByUserId])
    if (typeof userId === 'string') people.userIds.add(userId);
  return people;
}

/** The user who updates the annotations; undefined when the call names none. */
const actorOf = ({ actionUser, update }: UpdateRequest): NamedUser | undefined => {
  const userId = update.statusUpdatedByUserId ?? update.resolvedByUserId ?? undefined;
  return actionUser ?? (userId === undefined ? undefined : { userId });
};

async function lockMatching(
  em: EntityManager,
  tenant: Tenant,
  { annotationIds, locationIds, userIds, users }: UpdateRequest,
  { organization, document }: Pick<NotificationLocation, 'organization' | 'document'>,
  named: ReadonlyMap<string, string>,
): Promise<readonly SelectedThread[]> {
  const selection: ThreadSelection = {
    organization,
    document,
    annotationIds: annotationIds ?? null,
    locationIds: locationIds ?? null,
    creators: userIds?.flatMap((userId) => named.get(userId) ?? []) ?? null,
    agentId: null,
    agentSuggestions: false,
    agentUrls: null,
    upTo: maxBigint,
  };
  const { threads, rest } = await lockSelected(em, tenant.id, selection, {
    max: maxPerCall.threads,
    maxExamined: maxPerCall.examined,
    also: sql`not ${isThreadLeftToJob(organization)}`,
  });
  if (rest?.matches === true) throw failedPrecondition(commentTexts.tooManyMatching);
  if (rest !== undefined) throw failedPrecondition(commentTexts.tooManyExamined);
  const contents = threads.reduce((sum, row) => sum + row.comment_count + row.reaction_count, 0);
  if (users.size > 0 && contents > maxPerCall.contents)
    throw failedPrecondition(commentTexts.tooManyToRewrite);
  return threads;
}

function replacementOf(
  users: Replacements,
  olds: ReadonlyMap<string, string>,
  news: ReadonlyMap<string, string>,
): UserReplacement {
  const keys = [...users].flatMap(([old, { userId }]) => {
    const [key, newKey] = [olds.get(old), userKeyOf(news, userId)];
    return key === undefined || key === newKey ? [] : [[key, newKey] as const];
  });
  return { users, keys: new Map(keys) };
}

interface SelectedUpdate {
  readonly keys: UpdateKeys;
  readonly selected: readonly SelectedThread[];
  readonly replacement: UserReplacement;
  readonly actor: NamedUser | undefined;
  readonly location: NotificationLocation;
}

async function updateSelected(
  em: EntityManager,
  tenant: Tenant,
  request: UpdateRequest,
  { keys, selected, replacement, actor, location }: SelectedUpdate,
): Promise<CreatedJob | undefined> {
  const ids = selected.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const emits = actor !== undefined && (request.triggerNotification || request.triggerActivities);
  const { update } = request;
  const sizes = await readSizes(em, ids, emits);
  const growth = growthOf(request);
  const replaces = replacement.users.size > 0;
  const contents = replaces
    ? await rewriteContents(em, tenant, ids, replacement)
    : new Map<string, ContentChange>();
  const chunks = byteChunks(sizes, ({ bytes }) => bytes + growth);
  const remaining = await emitInChunks(chunks, async (chunk, limit) => {
    const threads = chunk.map(({ id }) => id);
    const stored = await readStates(em, threads);
    const changed = await inTurns(
      eachItem(stored, (thread) =>
        changedThread(thread, update, { users: keys.users, replacement, content: contents.get(thread.id) }),
      ),
    );
    const written = changed.filter((thread) => thread !== undefined);
    // An unchanged thread may still have a replaced user as its last actor.
    const moved = written.map(({ before }) => before.id);
    if (replaces && moved.length > 0)
      await movePeople(em, tenant, keys.organization, moved, replacement.keys);
    await updateThreads(em, tenant, keys, written);
    return emitUpdates(em, tenant, location, { ...request, threads: written, actor, limit });
  });
  if (mayJoinDeletion(request)) await refuseLeftToJobs(em, keys.organization, ids);
  return createNotifyRemainingJob(em, tenant, location, remaining);
}

/** Whether an update may change what a deletion selects by, other than ids and the agent, which no update changes. */
const mayJoinDeletion = ({ update: { location, from, suggestion }, users }: UpdateRequest): boolean =>
  location !== undefined || from !== undefined || suggestion?.status !== undefined || users.size > 0;

/** The bytes that an update may add to each annotation, to each comment below it, and to each of its events. */
const growthOf = ({ actionUser, update, users }: UpdateRequest): number =>
  Buffer.byteLength(JSON.stringify([actionUser, update, ...users.values()]));
