import type { EntityManager } from '../../../platform/database/orm.ts';
import { timedTokens } from '../../../platform/encryption/tokens.ts';
import { eachItem, inTurns } from '../../../platform/process/in-turns.ts';
import { required } from '../../../platform/process/required.ts';
import { prepare } from '../../activity-logs/activity-log.ts';
import type { ActivityLogBody } from '../../activity-logs/activity-log.entity.ts';
import { activityLogBatch, writeActivityLogs } from '../../activity-logs/write-activity-logs.ts';
import { readTriggers } from '../../configuration/read-triggers.ts';
import { payloadList, recordEvents, type NewEvent } from '../../events/record-events.ts';
import type { CreatedJob } from '../../jobs/create-job.ts';
import { surrogate, type NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockPeople } from '../../users/lock-named.ts';
import type { LockedUsers } from '../../users/lock-users.ts';
import { mergedPeople, namedPeople, type NamedPeople } from '../../users/named-users.ts';
import { addUsersInThreads } from '../../users/users-in-threads.ts';
import type { NamedUser } from '../comment.entity.ts';
import type { ThreadChange } from './change.ts';
import type { RecipientLimit } from './choose-recipients.ts';
import {
  maxWrittenRecipients,
  noneNotified,
  notifyOfChanges,
  type Notified,
  type NotifiedChange,
} from './notify.ts';
import { chunksToEmit, readEmitted, type EmittedThread } from './read-emitted.ts';
import { createNotifyRemainingJob, type UnwrittenRecipients } from './remaining-job.ts';
import {
  activityLogBody,
  annotationsOf,
  eventData,
  notificationBody,
  type RenderedAnnotation,
} from './rendered-change.ts';

/**
 * Emits changes of threads in one document within the transaction of their call. Each change emits one event, and as
 * requested and configured an activity log and a notification. Call it under the locks of the threads, after the
 * changes are written. Returns the job that notifies the remaining recipients.
 */
export async function emitChanges(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  changes: readonly ThreadChange[],
): Promise<CreatedJob | undefined> {
  const remaining = await emitInChunks([changes], async (all, limit) =>
    emitChunk(em, tenant, location, all, limit),
  );
  return createNotifyRemainingJob(em, tenant, location, remaining);
}

/**
 * Emits the changes of locked threads, by surrogate key, like `emitChanges`. Reads and emits threads of at most 2 MiB at a
 * time, with an actor that all of their changes share.
 */
export async function emitThreads(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  threads: readonly string[],
  changesOf: (thread: string, state: EmittedThread) => readonly ThreadChange[],
  actor?: NamedUser,
): Promise<CreatedJob | undefined> {
  const actorBytes = actor === undefined ? 0 : Buffer.byteLength(JSON.stringify(actor));
  const chunks = await chunksToEmit(em, threads, actorBytes);
  const remaining = await emitInChunks(chunks, async (chunk, limit) => {
    const emitted = await readEmitted(em, chunk);
    const changes = [...emitted].flatMap(([thread, state]) => changesOf(thread, state));
    return emitChunk(em, tenant, location, changes, limit);
  });
  return createNotifyRemainingJob(em, tenant, location, remaining);
}

/**
 * Emits the chunks of one call, which share its max of recipients. Of several chunks each writes only users that its
 * changes name, so that those of later chunks come before all others. Returns the notifications left to the call's job.
 */
export async function emitInChunks<Chunk>(
  chunks: readonly Chunk[],
  emit: (chunk: Chunk, limit: RecipientLimit) => Promise<Notified>,
): Promise<readonly UnwrittenRecipients[]> {
  const remaining: UnwrittenRecipients[] = [];
  const namedOnly = chunks.length > 1;
  let left: number = maxWrittenRecipients;
  for (const chunk of chunks) {
    const notified = await emit(chunk, { max: left, namedOnly });
    left -= notified.recipients;
    remaining.push(...notified.remaining);
  }
  return remaining;
}

/** Emits a chunk of a call's changes, like `emitChanges`; see `emitInChunks`. */
export async function emitChunk(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  changes: readonly ThreadChange[],
  limit: RecipientLimit,
): Promise<Notified> {
  const emitted = changes.filter((change) => change.triggerNotification || change.triggerActivities);
  const { activityLogs, notificationService, webhooks } = tenant.switches;
  if (emitted.length === 0 || !(activityLogs || notificationService || webhooks)) return noneNotified;
  const { organizationId, documentId } = location;
  const externalLocation = { organizationId, documentId };
  const now = Date.now();
  const annotationOf = annotationsOf(externalLocation);
  const rendered = await inTurns(
    eachItem(emitted, (change) => {
      const data = eventData(externalLocation, change, annotationOf(change), now);
      return { change, data, people: namedIn(change, annotationOf(change)) };
    }),
  );
  // Without addresses, which were stored when the users were first named.
  const named = { ...mergedPeople(rendered.map(({ people }) => people)), addresses: [] };
  const users = await lockPeople(em, tenant, named, [location.organization]);
  const triggers = activityLogs || notificationService ? await readTriggers(em, tenant.id) : undefined;
  const logged = activityLogs
    ? emitted.filter(({ type, triggerActivities }) => triggerActivities && triggers?.activity(type) === true)
    : [];
  const bodies = await inTurns(eachItem(logged, (change) => activityLogBody(change, annotationOf(change))));
  await addActivityLogs(em, tenant, location, users, bodies, now);
  const notified = notificationService
    ? emitted.filter(
        ({ type, triggerNotification }) => triggerNotification && triggers?.notification(type) === true,
      )
    : [];
  const notificationsOf = (change: ThreadChange): NotifiedChange[] => {
    const body = notificationBody(change);
    return body === undefined ? [] : [{ change, body }];
  };
  const notifications = (await inTurns(eachItem(notified, notificationsOf))).flat();
  const { events: added, ...done } = await notifyOfChanges(em, tenant, location, notifications, users, limit);
  if (!webhooks) return done;
  const events = await inTurns(
    eachItem(rendered, ({ change, data, people }): NewEvent => ({
      type: change.type,
      organization: location.organization,
      document: location.document,
      channels: [organizationId, documentId],
      payload: data,
      users: [...people.userIds].map((userId) => surrogate(users, userId)),
      names: [...people.keys],
    })),
  );
  const all = [...events, ...added];
  await recordEvents(em, tenant.id, all, await payloadList(all));
  return done;
}

/** The people that an event, its activity log and its notification name: in objects, keys and lists of user ids. */
function namedIn(
  { actor, comment, data, changes, named, thread }: ThreadChange,
  { people }: RenderedAnnotation,
): NamedPeople {
  // An annotation cut to its limit lacks its location, which the notification has.
  const { location } = thread.body;
  const found = namedPeople({ actor, comment: comment?.view }, data, changes, location);
  addUsersInThreads(found.userIds, [comment?.view, data, changes]);
  for (const userId of [...people.userIds, ...named]) found.userIds.add(userId);
  for (const key of people.keys) found.keys.add(key);
  return found;
}

async function addActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  users: LockedUsers,
  bodies: readonly ActivityLogBody[],
  at: number,
): Promise<void> {
  if (bodies.length === 0) return;
  const { organization, document } = location;
  const ids = timedTokens('act', bodies.length);
  const logs = await inTurns(
    eachItem(bodies, (body, nth) => ({
      activityLog: prepare({ id: required(ids[nth], 'generated id'), idSent: false, timestamp: at, body }),
      location: { organization, document, users },
      at,
    })),
  );
  const added = await activityLogBatch(logs);
  await writeActivityLogs(em, tenant, { added, others: await activityLogBatch([]) });
}
