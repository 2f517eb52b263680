import { sql } from 'kysely';
import { z } from 'zod';
import { DomainError, failedPrecondition, invalidMember } from '../errors.ts';
import { payloadList, recordEvents, type NewEvent } from '../events/record-events.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  lockLocationsAndRead,
  type LockedLocation,
  type LocationRequest,
} from '../documents/lock-location.ts';
import { refuseFencedNames, someOwnerFenced } from '../users/lock-named.ts';
import { refuseFencedUsers, someFenced } from '../users/lock-users.ts';
import { distinctNames } from '../users/name-index.ts';
import { learnAddresses } from '../users/user-addresses.ts';
import { eachItem, inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { prepare, type ActivityLogInput, type PreparedActivityLog } from './activity-log.ts';
import {
  activityLogBatch,
  surrogates,
  writeActivityLogs,
  type LocatedActivityLog,
} from './write-activity-logs.ts';

/** Where the records go, as the caller wrote it. */
export type ActivityLogLocationRequest = Omit<LocationRequest, 'userIds' | 'sharesNames'>;

/** Distinct users that one call may name. */
const maxUsers = 1_000;

/** What one call writes. */
export interface ActivityLogWrite {
  readonly place: ActivityLogLocationRequest;
  /** Of different ids. */
  readonly activityLogs: readonly ActivityLogInput[];
}

/**
 * Writes all records or none. A record whose id exists is overwritten, also from another document of the organization;
 * one that says the same again changes nothing and emits nothing. Every change emits an event of its `actionType`.
 * Of several calls it throws unless it can write all: then each has to be written by itself.
 */
export async function addActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  writes: readonly ActivityLogWrite[],
): Promise<void> {
  const prepared = await inTurns(prepareAll(writes));
  const named = prepared.map(usersOf);
  const userIds = [...new Set(named.flat())];
  const keys = prepared.flatMap((activityLogs) => activityLogs.flatMap(({ names }) => names));
  const names = distinctNames([...keys, ...userIds.filter((id) => id.includes('@'))]);
  const sharesNames = names.length > 0;
  const requests = writes.map(({ place }, call) => ({ ...place, userIds: named[call] ?? [], sharesNames }));
  if (writes.length > 1) refuseTwice(requests, prepared);
  const { locations: locked, read } = await lockLocationsAndRead(em, tenant, requests, async () =>
    Promise.all([readExisting(em, tenant, requests, prepared), fencedAmong(em, tenant, userIds, names)]),
  );
  const [existing, fenced] = read;
  if (fenced) await refuseFenced(em, tenant, locked, names);
  const now = Date.now();
  const sent = locked.flatMap((place, call) => {
    const { organizationId, documentId } = requests[call] as ActivityLogLocationRequest;
    const at = { ...place, organizationId, documentId };
    return (prepared[call] ?? []).map((activityLog): Sent => {
      const key = keyOf(place.organization, activityLog.id);
      return { activityLog, key, place: at, at: activityLog.timestamp ?? existing.get(key)?.ts ?? now };
    });
  });
  const changed = sent.filter((record) => isChange(record, existing.get(record.key)));
  const [first] = changed;
  if (first === undefined) return;
  if (tenant.switches.activityLogsImmutable && changed.some(({ key }) => existing.has(key))) {
    throw failedPrecondition(messages.activityLogsImmutable);
  }
  const added = await activityLogBatch(changed.filter(({ key }) => !existing.has(key)));
  const others = await activityLogBatch(changed.filter(({ key }) => existing.has(key)));
  await writeActivityLogs(em, tenant, { added, others });
  const given = changed.flatMap(({ activityLog }) => activityLog.people.addresses);
  if (given.length > 0) await learnAddresses(em, tenant, first.place.users, given);
  if (!tenant.switches.webhooks) return;
  const events = await inTurns(eachItem(changed, eventOf));
  await recordEvents(em, tenant.id, events, await payloadList(events));
}

function* prepareAll(writes: readonly ActivityLogWrite[]): Pausable<(readonly PreparedActivityLog[])[]> {
  const prepared: (readonly PreparedActivityLog[])[] = [];
  for (const { activityLogs } of writes) prepared.push(yield* eachItem(activityLogs, prepare));
  return prepared;
}

type ActivityLogLocation = Pick<LocationRequest, 'organizationId' | 'documentId'> & LockedLocation;

/** A record, where it goes and when it happened. */
interface Sent extends LocatedActivityLog {
  readonly place: ActivityLogLocation;
  /** Of `keyOf`. */
  readonly key: string;
}

/** Tells a record from all others of the tenant. */
const keyOf = (organization: string, id: string): string => `${organization} ${id}`;

/** Two calls for one record: each must see what the other wrote. */
function refuseTwice(
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): void {
  const keys = requests.flatMap(({ organizationId }, call) =>
    (prepared[call] ?? []).map(({ id }) => keyOf(organizationId, id)),
  );
  if (new Set(keys).size < keys.length) throw new DomainError('ABORTED', messages.aborted);
}

/** Whether someone may be fenced, by id or by one of these names. Behind the locks, each in a statement of its own. */
async function fencedAmong(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
  names: readonly string[],
): Promise<boolean> {
  const addresses = names.filter((name) => name.includes('@'));
  const [fenced, owner] = await Promise.all([
    someFenced(em, tenant, [...userIds, ...names]),
    addresses.length > 0 && someOwnerFenced(em, tenant, addresses),
  ]);
  return fenced || owner;
}

/** Their users are the same: each organization in which one of them is fenced refuses all. */
async function refuseFenced(
  em: EntityManager,
  tenant: Tenant,
  places: readonly LockedLocation[],
  names: readonly string[],
): Promise<void> {
  const [one] = places;
  if (one === undefined) return;
  const organizations = [...new Set(places.map(({ organization }) => organization))];
  await refuseFencedUsers(em, one.users, organizations);
  if (names.length > 0) await refuseFencedNames(em, tenant, names, organizations);
}

function usersOf(sent: readonly PreparedActivityLog[]): string[] {
  const users = new Set(sent.flatMap(({ body, mentioned }) => [body.actionUser.userId, ...mentioned]));
  if (users.size > maxUsers) {
    const count = String(users.size);
    throw invalidMember(
      'activities',
      `activities must name at most ${String(maxUsers)} different users, not ${count}.`,
    );
  }
  return [...users];
}

interface Existing {
  readonly ts: number;
  readonly document: string;
  readonly hash: Buffer;
}

const ExistingRow = z.strictObject({
  org_id: z.string(),
  ext_id: z.string(),
  ts: z.string(),
  document_id: z.string(),
  content_hash: z.instanceof(Buffer),
});

/**
 * By `keyOf`. Locked, so that of two calls that overwrite one record the second sees what the first wrote. Each organization,
 * and each record, is found by an index, whatever the plan.
 */
async function readExisting(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): Promise<ReadonlyMap<string, Existing>> {
  const organizations = [...new Set(requests.map(({ organizationId }) => organizationId))];
  const named = requests.flatMap(({ organizationId }, call) => {
    const place = organizations.indexOf(organizationId) + 1;
    return (prepared[call] ?? []).flatMap(({ id, idSent }) => (idSent ? [{ place, id }] : []));
  });
  if (named.length === 0) return new Map();
  const found = await rowsOf(
    em,
    ExistingRow,
    sql`with known as materialized (
        select array_agg(o.id order by w.place) as ids from unnest(${organizations}::text[]) with ordinality as w (ext_id, place)
        left join lateral (select id from organization where api_key_id = ${tenant.id} and ext_id = w.ext_id limit 1) o on true)
      select a.org_id, a.ext_id, a.ts, a.document_id, a.content_hash
      from (
        select k.ids[t.place] as org_id, t.ext_id from known k
        cross join unnest(${named.map(({ place }) => place)}::int[], ${named.map(({ id }) => id)}::text[]) as t (place, ext_id)
        order by org_id, t.ext_id collate "C") s
      cross join lateral (
        select org_id, ext_id, ts, document_id, content_hash from activity a
        where a.org_id = s.org_id and a.ext_id = s.ext_id for no key update of a) a`,
  );
  return new Map(
    found.map(({ org_id, ext_id, ts, document_id, content_hash }) => [
      keyOf(org_id, ext_id),
      { ts: Number(ts), document: document_id, hash: content_hash },
    ]),
  );
}

function isChange({ activityLog, place }: Sent, existing: Existing | undefined): boolean {
  if (existing === undefined) return true;
  const moved = existing.document !== place.document;
  const retimed = activityLog.timestamp !== undefined && activityLog.timestamp !== existing.ts;
  return moved || retimed || !existing.hash.equals(activityLog.hash);
}

function eventOf({ activityLog, place, at }: Sent): NewEvent {
  const { organizationId, documentId, users } = place;
  return {
    type: activityLog.body.actionType,
    organization: place.organization,
    document: place.document,
    channels: [organizationId, documentId],
    payload: withMembers(activityLog.json, {
      id: activityLog.id,
      timestamp: at,
      metadata: { organizationId, documentId },
    }),
    users: surrogates(new Set([activityLog.body.actionUser.userId, ...activityLog.mentioned]), users),
    names: activityLog.names,
  };
}

/** The JSON of an object that has members, and more of them. */
const withMembers = (json: string, members: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
