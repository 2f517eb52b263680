import { sql } from 'kysely';
import { z } from 'zod';
import { eachItem, inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { DomainError, failedPrecondition } from '../errors.ts';
import { payloadList, recordEvents } from '../events/record-events.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';
import {
  lockLocationsAndRead,
  type LockedLocation,
  type LocationRequest,
} from '../documents/lock-location.ts';
import { mayBeFenced, refuseFencedNames } from '../users/lock-named.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import { distinctTexts } from '../users/name-index.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { learnAddresses } from '../users/user-addresses.ts';
import { namesIn, prepare, type ActivityLogInput, type PreparedActivityLog } from './activity-log.ts';
import { activityLogEvent, type SentActivityLog } from './activity-log-event.ts';
import { coveredActivityLogs, type Overwrite } from './covered-activity-logs.ts';
import { removeActivityLogs } from './delete-activity-logs.ts';
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
 * record is neither written nor emitted. A record that a job is still to remove counts as deleted. Every change emits an
 * event of its `actionType`. Throws when any of the calls must be refused; the caller then writes each call alone.
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
  const [found, fenced] = read;
  if (fenced) await refuseFenced(em, tenant, locked, names);
  const covered = await coveredActivityLogs(em, overwritesOf(locked, prepared, found));
  const existing = withoutDeleted(found, covered);
  const now = Date.now();
  const sent = locked.flatMap((location, call) => {
    const { organizationId, documentId } = requests[call] as ActivityLogLocationRequest;
    const at = { ...location, organizationId, documentId };
    const traceparent = writes[call]?.traceparent;
    return (prepared[call] ?? []).map((activityLog): Sent => {
      const key = keyOf(location.organization, activityLog.id);
      const former = existing.get(key);
      const ts = activityLog.timestamp ?? (former?.visible === true ? former.ts : now);
      return { activityLog, key, location: at, at: ts, traceparent };
    });
  });
  const allNew = found.size === 0;
  const changed = allNew ? sent : sent.filter((record) => isChange(record, existing.get(record.key)));
  const [first] = changed;
  if (first === undefined) return;
  if (tenant.switches.activityLogsImmutable && changed.some(({ key }) => existing.get(key)?.visible)) {
    throw failedPrecondition(messages.activityLogsImmutable);
  }
  const overwritten = ({ key }: Sent): boolean => {
    const former = existing.get(key);
    return former !== undefined && !covered.has(former.id);
  };
  const inserted = allNew ? changed : changed.filter((record) => !overwritten(record));
  const added = await activityLogBatch(inserted);
  const others = await activityLogBatch(allNew ? [] : changed.filter(overwritten));
  await removeActivityLogs(em, allNew ? [] : inserted.flatMap(({ key }) => found.get(key)?.id ?? []));
  await writeActivityLogs(em, tenant, { added, others });
  const given = changed.flatMap(({ activityLog }) => activityLog.addresses);
  if (given.length > 0) await learnAddresses(em, tenant, first.location.users, given);
  if (!tenant.switches.webhooks) return;
  const events = await inTurns(eachItem(changed, activityLogEvent));
  await recordEvents(em, tenant.id, events, await payloadList(events));
}

function* prepareAll(writes: readonly ActivityLogWrite[]): Pausable<(readonly PreparedActivityLog[])[]> {
  const prepared: (readonly PreparedActivityLog[])[] = [];
  for (const { activityLogs } of writes) prepared.push(yield* eachItem(activityLogs, prepare));
  return prepared;
}

interface Sent extends SentActivityLog {
  /** From `keyOf`. */
  readonly key: string;
}

/** Identifies a record within the tenant. */
const keyOf = (organization: string, id: string): string => `${organization} ${id}`;

/** Refuses calls that share a record: each must see the write of the other. */
function refuseDuplicates(
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): void {
  const keys = requests.flatMap(({ organizationId }, call) =>
    (prepared[call] ?? []).map(({ id }) => keyOf(organizationId, id)),
  );
  if (new Set(keys).size < keys.length) throw new DomainError('ABORTED', messages.aborted);
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
  if (names.length > 0) await refuseFencedNames(em, tenant, names, organizations);
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
  const all = namesIn(prepared.flat());
  for (const id of userIds) if (id.includes('@')) all.add(id);
  return all;
}

/** A record with an id of the call. One of a deleted document, which the call replaces, counts as new to the caller. */
interface Existing {
  /** Surrogate key. */
  readonly id: string;
  readonly visible: boolean;
  readonly ts: number;
  readonly document: string;
  readonly hash: Buffer;
}

const ExistingRow = z.strictObject({
  id: z.string(),
  org_id: z.string(),
  ext_id: z.string(),
  ts: z.string(),
  document_id: z.string(),
  content_hash: z.instanceof(Buffer),
  visible: z.boolean(),
});

/**
 * Existing records by `keyOf`, locked: the second of two overwrites sees the first. The lateral joins look up each
 * organization and record by index under any plan.
 */
async function readExisting(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): Promise<ReadonlyMap<string, Existing>> {
  const organizations = [...new Set(requests.map(({ organizationId }) => organizationId))];
  const named = requests.flatMap(({ organizationId }, call) => {
    const position = organizations.indexOf(organizationId) + 1;
    return (prepared[call] ?? []).flatMap(({ id, idSent }) => (idSent ? [{ position, id }] : []));
  });
  if (named.length === 0) return new Map();
  const found = await rowsOf(
    em,
    ExistingRow,
    sql`with known as materialized (
        select array_agg(o.id order by w.position) as ids from unnest(${organizations}::text[]) with ordinality as w (ext_id, position)
        left join lateral (select id from organization where api_key_id = ${tenant.id} and ext_id = w.ext_id limit 1) o on true)
      select a.id, a.org_id, a.ext_id, a.ts, a.document_id, a.content_hash, ${isInVisibleDocument(sql.ref('a.document_id'))} as visible
      from (
        select k.ids[t.position] as org_id, t.ext_id from known k
        cross join unnest(${named.map(({ position }) => position)}::int[], ${named.map(({ id }) => id)}::text[]) as t (position, ext_id)
        order by org_id, t.ext_id collate "C") s
      cross join lateral (
        select id, org_id, ext_id, ts, document_id, content_hash from activity a
        where a.org_id = s.org_id and a.ext_id = s.ext_id for no key update of a) a`,
  );
  return new Map(
    found.map(({ id, org_id, ext_id, ts, document_id, content_hash, visible }) => [
      keyOf(org_id, ext_id),
      { id, ts: Number(ts), document: document_id, hash: content_hash, visible },
    ]),
  );
}

/** The overwrites of existing records. */
function overwritesOf(
  locations: readonly LockedLocation[],
  prepared: readonly (readonly PreparedActivityLog[])[],
  existing: ReadonlyMap<string, Existing>,
): Overwrite[] {
  if (existing.size === 0) return [];
  return locations.flatMap(({ organization, document }, call) =>
    (prepared[call] ?? []).flatMap(({ id, body: { targetEntityId } }) => {
      const former = existing.get(keyOf(organization, id));
      return former === undefined ? [] : [{ id: former.id, organization, document, targetEntityId }];
    }),
  );
}

/** The existing records without those that an open removal deletes. */
function withoutDeleted(
  existing: ReadonlyMap<string, Existing>,
  covered: ReadonlyMap<string, boolean>,
): ReadonlyMap<string, Existing> {
  if (covered.size === 0) return existing;
  return new Map([...existing].filter(([, { id }]) => covered.get(id) !== true));
}

function isChange({ activityLog, location }: Sent, existing: Existing | undefined): boolean {
  if (existing === undefined) return true;
  const moved = existing.document !== location.document;
  const retimed = activityLog.timestamp !== undefined && activityLog.timestamp !== existing.ts;
  return moved || retimed || !existing.hash.equals(activityLog.hash);
}
