import { eachItem, inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { aborted, failedPrecondition } from '../errors.ts';
import { payloadList, recordEvents } from '../events/record-events.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  lockLocationsAndRead,
  type LockedLocation,
  type LocationRequest,
} from '../documents/lock-location.ts';
import { mayBeFenced, refuseFencedKeys } from '../users/lock-named.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import { distinctTexts } from '../users/name-index.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { storeAddresses } from '../users/user-addresses.ts';
import { namesInLogs, prepare, type ActivityLogInput, type PreparedActivityLog } from './activity-log.ts';
import {
  changesOf,
  differingOf,
  overwritesOf,
  type ActivityLogChanges,
  type LocatedCall,
} from './activity-log-changes.ts';
import { activityLogEvent } from './activity-log-event.ts';
import { coveredActivityLogs } from './covered-activity-logs.ts';
import { removeActivityLogs } from './delete-activity-logs.ts';
import { activityLogKey, readExisting } from './existing-activity-logs.ts';
import { reorderedActivityLogs } from './reordered-activity-logs.ts';
import { activityLogBatch, writeActivityLogs } from './write-activity-logs.ts';

/** The location of the records, as requested. */
export type ActivityLogLocationRequest = Omit<LocationRequest, 'userIds' | 'sharesNames'>;

/** The write of one call. */
export interface ActivityLogWrite {
  readonly location: ActivityLogLocationRequest;
  /** With distinct ids. */
  readonly activityLogs: readonly ActivityLogInput[];
  /** W3C trace context of the call; undefined where tracing is off. */
  readonly traceparent?: string | undefined;
}

/**
 * Writes all records or none. An existing id is overwritten, even from another document of the organization; an equal
 * record, in any order of its members, is neither written nor emitted. A record that a job is still to remove counts as
 * deleted. Every change emits an event of its `actionType`. Throws when any of the calls must be refused; the caller then
 * writes each call alone.
 */
export async function addActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  writes: readonly ActivityLogWrite[],
): Promise<void> {
  const prepared = await inTurns(prepareAll(writes));
  const named = prepared.map(usersOf);
  if (!tenant.switches.activityLogs) throw failedPrecondition(messages.activityLogsOff);
  const userIds = [...new Set(named.flat())];
  const names = distinctTexts(namesOf(prepared, userIds));
  const sharesNames = names.length > 0;
  const requests = writes.map(({ location }, call) => ({
    ...location,
    userIds: named[call] ?? [],
    sharesNames,
  }));
  if (writes.length > 1) refuseDuplicates(requests, prepared);
  const { locations: locked, read } = await lockLocationsAndRead(em, tenant, requests, async () =>
    Promise.all([readExisting(em, tenant, requests, prepared), mayBeFenced(em, tenant, userIds, names)]),
  );
  const [existing, fenced] = read;
  if (fenced) await refuseFenced(em, tenant, locked, names);
  const located = locked.map((location, call): LocatedCall => {
    const { organizationId, documentId } = requests[call] as ActivityLogLocationRequest;
    return {
      location: { ...location, organizationId, documentId },
      activityLogs: prepared[call] ?? [],
      traceparent: writes[call]?.traceparent,
    };
  });
  const covered = await coveredActivityLogs(em, overwritesOf(located, existing));
  const reordered = await reorderedActivityLogs(em, differingOf(located, existing, covered));
  const changes = changesOf(located, existing, covered, reordered);
  if (tenant.switches.activityLogsImmutable && changes.replacesVisible) {
    throw failedPrecondition(messages.activityLogsImmutable);
  }
  await write(em, tenant, changes);
}

/** Writes the records and emits their events. */
async function write(em: EntityManager, tenant: Tenant, changes: ActivityLogChanges): Promise<void> {
  const { changed, inserted, overwritten, removed } = changes;
  const [first] = changed;
  if (first === undefined) return;
  const added = await activityLogBatch(inserted);
  const others = await activityLogBatch(overwritten);
  await removeActivityLogs(em, removed);
  await writeActivityLogs(em, tenant, { added, others });
  const given = changed.flatMap(({ activityLog }) => activityLog.addresses);
  if (given.length > 0) await storeAddresses(em, tenant, first.location.users, given);
  if (!tenant.switches.webhooks) return;
  const events = await inTurns(eachItem(changed, activityLogEvent));
  await recordEvents(em, tenant.id, events, await payloadList(events));
}

function* prepareAll(writes: readonly ActivityLogWrite[]): Pausable<(readonly PreparedActivityLog[])[]> {
  const prepared: (readonly PreparedActivityLog[])[] = [];
  for (const { activityLogs } of writes) prepared.push(yield* eachItem(activityLogs, prepare));
  return prepared;
}

/** Refuses calls that share a record: each must see the write of the other. */
function refuseDuplicates(
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): void {
  const keys = requests.flatMap(({ organizationId }, call) =>
    (prepared[call] ?? []).map(({ id }) => activityLogKey(organizationId, id)),
  );
  if (new Set(keys).size < keys.length) throw aborted();
}

/** All locations share their users, so one fenced user in one organization refuses every call. */
async function refuseFenced(
  em: EntityManager,
  tenant: Tenant,
  locations: readonly LockedLocation[],
  names: readonly string[],
): Promise<void> {
  const [one] = locations;
  if (one === undefined) return;
  const organizations = [...new Set(locations.map(({ organization }) => organization))];
  await refuseFencedUsers(em, one.users, organizations);
  if (names.length > 0) await refuseFencedKeys(em, tenant, names, organizations);
}

function usersOf(sent: readonly PreparedActivityLog[]): string[] {
  const users = new Set<string>();
  for (const { body, mentioned } of sent) {
    users.add(body.actionUser.userId);
    for (const user of mentioned) users.add(user);
  }
  refuseManyUsers(users.size, 'activities');
  return [...users];
}

/** The names in all records, as sent, and the users whose ids may be e-mail addresses. */
function namesOf(
  prepared: readonly (readonly PreparedActivityLog[])[],
  userIds: readonly string[],
): ReadonlySet<string> {
  const all = namesInLogs(prepared.flat());
  for (const id of userIds) if (id.includes('@')) all.add(id);
  return all;
}
