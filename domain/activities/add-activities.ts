import { DomainError, failedPrecondition, invalidMember } from '../errors.ts';
import { recordEvents, type NewEvent } from '../events/record-events.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPlacesAndRead, type LockedPlace, type PlaceRequest } from '../documents/lock-place.ts';
import { refuseFencedUsers, someFenced, type LockedUsers } from '../users/lock-users.ts';
import { rows } from '../../platform/database/sql.ts';
import { leaveToCommit, type EntityManager } from '../../platform/database/orm.ts';
import {
  activityRecordKind,
  featureNumber,
  prepare,
  type ActivityInput,
  type PreparedActivity,
} from './activity.ts';

/** Where the records go, as the caller wrote it. */
export type ActivityPlaceRequest = Omit<PlaceRequest, 'userIds'>;

/** Distinct users that one call may name. */
const mostUsers = 1_000;

/** What one call writes. */
export interface ActivityWrite {
  readonly place: ActivityPlaceRequest;
  /** Of different ids. */
  readonly activities: readonly ActivityInput[];
}

/**
 * Writes all records or none. A record whose id exists is overwritten, also from another document of the organization;
 * one that says the same again changes nothing and emits nothing. Every change emits an event of its `actionType`.
 * Of several calls it throws unless it can write all: then each has to be written by itself.
 */
export async function addActivities(
  em: EntityManager,
  tenant: Tenant,
  writes: readonly ActivityWrite[],
): Promise<void> {
  const prepared = writes.map(({ activities }) => activities.map(prepare));
  const wishes = writes.map(({ place }, call) => ({ ...place, userIds: usersOf(prepared[call] ?? []) }));
  if (writes.length > 1) refuseTwice(wishes, prepared);
  const userIds = [...new Set(wishes.flatMap((wish) => wish.userIds))];
  const { places: locked, read } = await lockPlacesAndRead(em, tenant, wishes, async () =>
    Promise.all([readExisting(em, tenant, wishes, prepared), someFenced(em, tenant, userIds)]),
  );
  const [existing, fenced] = read;
  if (fenced) await refuseFenced(em, locked);
  const sent = locked.flatMap((place, call) => {
    const { organizationId, documentId } = wishes[call] as ActivityPlaceRequest;
    const at = { ...place, organizationId, documentId };
    return (prepared[call] ?? []).map((activity) => ({
      ...activity,
      place: at,
      key: keyOf(place.organization, activity.id),
    }));
  });
  const changed = sent.filter((activity) => isChange(activity, existing.get(activity.key)));
  if (changed.length === 0) return;
  if (tenant.switches.activitiesImmutable && changed.some((activity) => existing.has(activity.key))) {
    throw failedPrecondition(messages.activitiesImmutable);
  }
  const timed = changed.map((activity) => ({
    ...activity,
    at: activity.timestamp ?? existing.get(activity.key)?.ts ?? Date.now(),
  }));
  leaveToCommit(em, write(em, tenant, timed, existing));
  if (tenant.switches.webhooks) leaveToCommit(em, recordEvents(em, tenant.id, timed.map(eventOf)));
}

type ActivityPlace = Pick<PlaceRequest, 'organizationId' | 'documentId'> & LockedPlace;

/** A record and where it goes. */
type Sent = PreparedActivity & {
  readonly place: ActivityPlace;
  /** Of `keyOf`. */
  readonly key: string;
};

/** Tells a record from all others of the tenant. */
const keyOf = (organization: string, id: string): string => `${organization} ${id}`;

/** Two calls for one record: each must see what the other wrote. */
function refuseTwice(
  wishes: readonly PlaceRequest[],
  prepared: readonly (readonly PreparedActivity[])[],
): void {
  const keys = wishes.flatMap(({ organizationId }, call) =>
    (prepared[call] ?? []).map(({ id }) => keyOf(organizationId, id)),
  );
  if (new Set(keys).size < keys.length) throw new DomainError('ABORTED', messages.aborted);
}

/** Their users are the same: each organization in which one of them is fenced refuses all. */
async function refuseFenced(em: EntityManager, places: readonly LockedPlace[]): Promise<void> {
  const [one] = places;
  if (one === undefined) return;
  await refuseFencedUsers(em, one.users, [...new Set(places.map(({ organization }) => organization))]);
}

function usersOf(sent: readonly PreparedActivity[]): string[] {
  const users = new Set(sent.flatMap(({ body, mentioned }) => [body.actionUser.userId, ...mentioned]));
  if (users.size > mostUsers) {
    const count = String(users.size);
    throw invalidMember(
      'activities',
      `activities must name at most ${String(mostUsers)} different users, not ${count}.`,
    );
  }
  return [...users];
}

interface Existing {
  readonly ts: number;
  readonly document: string;
  readonly hash: Buffer;
}

/** Each organization, and each record, is found by an index, whatever the plan. */
const existingStatement = `
  with known as materialized (
    select array_agg(o.id order by w.place) as ids from unnest($2::text[]) with ordinality as w (ext_id, place)
    left join lateral (select id from organization where api_key_id = $1 and ext_id = w.ext_id limit 1) o on true)
  select a.org_id, a.ext_id, a.ts, a.document_id, a.content_hash
  from (
    select k.ids[t.place] as org_id, t.ext_id from known k cross join unnest($3::int[], $4::text[]) as t (place, ext_id)
    order by org_id, t.ext_id collate "C") s
  cross join lateral (
    select org_id, ext_id, ts, document_id, content_hash from activity a
    where a.org_id = s.org_id and a.ext_id = s.ext_id for no key update of a) a`;

/** By `keyOf`. Locked, so that of two calls that overwrite one record the second sees what the first wrote. */
async function readExisting(
  em: EntityManager,
  tenant: Tenant,
  wishes: readonly PlaceRequest[],
  prepared: readonly (readonly PreparedActivity[])[],
): Promise<ReadonlyMap<string, Existing>> {
  const organizations = [...new Set(wishes.map(({ organizationId }) => organizationId))];
  const named = wishes.flatMap(({ organizationId }, call) => {
    const place = organizations.indexOf(organizationId) + 1;
    return (prepared[call] ?? []).flatMap(({ id, idSent }) => (idSent ? [{ place, id }] : []));
  });
  if (named.length === 0) return new Map();
  const found = await rows<{
    org_id: string;
    ext_id: string;
    ts: string;
    document_id: string;
    content_hash: Buffer;
  }>(em, existingStatement, [
    tenant.id,
    organizations,
    named.map(({ place }) => place),
    named.map(({ id }) => id),
  ]);
  return new Map(
    found.map(({ org_id, ext_id, ts, document_id, content_hash }) => [
      keyOf(org_id, ext_id),
      { ts: Number(ts), document: document_id, hash: content_hash },
    ]),
  );
}

function isChange(activity: Sent, existing: Existing | undefined): boolean {
  if (existing === undefined) return true;
  const moved = existing.document !== activity.place.document;
  const retimed = activity.timestamp !== undefined && activity.timestamp !== existing.ts;
  return moved || retimed || !existing.hash.equals(activity.hash);
}

type Timed = Sent & { readonly at: number };

const surrogates = (names: Iterable<string>, users: LockedUsers): string[] =>
  [...names].map((name) => users.get(name)).filter((id) => id !== undefined);

/** Rows go in the order of their ids, so two batches never wait for each other in a ring. */
const insertion = `
  insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target_entity_id, mentioned, content_hash, body)
  select $1, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned::bigint[], hash, body
  from rows from (
      unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::smallint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bytea[]),
      json_array_elements($12::json))
    as t (org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned, hash, body)
  order by org_id, ext_id collate "C"`;

const overwriting = `${insertion}
  on conflict (org_id, ext_id) do update set document_id = excluded.document_id, ts = excluded.ts, feature = excluded.feature,
    action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
    mentioned = excluded.mentioned, content_hash = excluded.content_hash, body = excluded.body`;

/** Also writes down whom the records name. */
const naming = (write: string): string => `
  with written as (${write} returning id, org_id, mentioned)
  insert into record_user (user_id, kind, record_id, api_key_id, org_id)
  select u.id, ${String(activityRecordKind)}, w.id, $1, w.org_id from written w cross join lateral unnest(w.mentioned) as u (id)
  on conflict do nothing`;

const statements = {
  new: insertion,
  newNaming: naming(insertion),
  overwriting: naming(overwriting),
} as const;

/**
 * New records in one statement, others in a second. To make ready for a conflict costs half as much again, so new ones are
 * not: one that somebody else has written meanwhile fails as a duplicate, and the next try finds it.
 */
async function write(
  em: EntityManager,
  tenant: Tenant,
  changed: readonly Timed[],
  existing: ReadonlyMap<string, Existing>,
): Promise<void> {
  const added = changed.filter(({ key }) => !existing.has(key));
  const others = changed.filter(({ key }) => existing.has(key));
  const named = added.some(({ mentioned }) => mentioned.size > 0);
  await Promise.all([
    send(em, named ? statements.newNaming : statements.new, tenant, added),
    send(em, statements.overwriting, tenant, others),
  ]);
}

async function send(
  em: EntityManager,
  statement: string,
  tenant: Tenant,
  written: readonly Timed[],
): Promise<void> {
  if (written.length === 0) return;
  await rows(em, statement, [
    tenant.id,
    written.map(({ place }) => place.organization),
    written.map(({ place }) => place.document),
    written.map(({ id }) => id),
    written.map(({ at }) => at),
    written.map(({ body }) => featureNumber(body.featureType)),
    written.map(({ body }) => body.actionType),
    written.map(({ body, place }) => place.users.get(body.actionUser.userId)),
    written.map(({ body }) => body.targetEntityId ?? null),
    written.map(({ mentioned, place }) => `{${surrogates(mentioned, place.users).join(',')}}`),
    written.map(({ hash }) => hash),
    // As one text: in a list each would be written with its quotation marks escaped, and read so.
    `[${written.map(({ json }) => json).join(',')}]`,
  ]);
}

function eventOf(activity: Timed): NewEvent {
  const { place } = activity;
  const { organizationId, documentId, users } = place;
  return {
    type: activity.body.actionType,
    organization: place.organization,
    document: place.document,
    channels: [organizationId, documentId],
    payload: withMembers(activity.json, {
      id: activity.id,
      timestamp: activity.at,
      metadata: { organizationId, documentId },
    }),
    users: surrogates(new Set([activity.body.actionUser.userId, ...activity.mentioned]), users),
  };
}

/** The JSON of an object that has members, and more of them. */
const withMembers = (json: string, members: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
