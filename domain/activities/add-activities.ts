import { failedPrecondition, invalidMember } from '../errors.ts';
import { recordEvents } from '../events/record-events.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPlace, type LockedPlace, type PlaceRequest } from '../documents/lock-place.ts';
import { refuseFencedUsers, type LockedUsers } from '../users/lock-users.ts';
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

/**
 * Writes all records or none. A record whose id exists is overwritten, also from another document of the organization;
 * one that says the same again changes nothing and emits nothing. Every change emits an event of its `actionType`.
 */
export async function addActivities(
  em: EntityManager,
  tenant: Tenant,
  wish: ActivityPlaceRequest,
  activities: readonly ActivityInput[],
): Promise<void> {
  const sent = activities.map(prepare);
  const place = { ...wish, ...(await lockPlace(em, tenant, { ...wish, userIds: usersOf(sent) })) };
  const [existing] = await Promise.all([
    readExisting(em, place, sent),
    refuseFencedUsers(em, place.users, place.organization),
  ]);
  const changed = sent.filter((activity) => isChange(activity, existing.get(activity.id), place));
  if (changed.length === 0) return;
  if (tenant.switches.activitiesImmutable && changed.some(({ id }) => existing.has(id))) {
    throw failedPrecondition(messages.activitiesImmutable);
  }
  const timed = changed.map((activity) => ({
    ...activity,
    at: activity.timestamp ?? existing.get(activity.id)?.ts ?? Date.now(),
  }));
  leaveToCommit(em, write(em, tenant, place, timed));
  if (tenant.switches.webhooks) {
    const events = timed.map((activity) => eventOf(place, activity));
    leaveToCommit(em, recordEvents(em, tenant.id, events));
  }
}

type ActivityPlace = ActivityPlaceRequest & LockedPlace;

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

/** Locked, so that of two calls that overwrite one record the second sees what the first wrote. */
async function readExisting(
  em: EntityManager,
  place: ActivityPlace,
  sent: readonly PreparedActivity[],
): Promise<ReadonlyMap<string, Existing>> {
  const ids = sent.filter(({ idSent }) => idSent).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await rows<{ ext_id: string; ts: string; document_id: string; content_hash: Buffer }>(
    em,
    `select ext_id, ts, document_id, content_hash from activity where org_id = $1 and ext_id = any($2)
     order by ext_id for no key update`,
    [place.organization, ids],
  );
  return new Map(
    found.map(({ ext_id, ts, document_id, content_hash }) => [
      ext_id,
      { ts: Number(ts), document: document_id, hash: content_hash },
    ]),
  );
}

function isChange(activity: PreparedActivity, existing: Existing | undefined, place: ActivityPlace): boolean {
  if (existing === undefined) return true;
  const moved = existing.document !== place.document;
  const retimed = activity.timestamp !== undefined && activity.timestamp !== existing.ts;
  return moved || retimed || !existing.hash.equals(activity.hash);
}

type Timed = PreparedActivity & { readonly at: number };

const surrogates = (names: Iterable<string>, users: LockedUsers): string[] =>
  [...names].map((name) => users.get(name)).filter((id) => id !== undefined);

/** Rows go in the order of their ids, so two batches never wait for each other in a ring. */
async function write(
  em: EntityManager,
  tenant: Tenant,
  place: ActivityPlace,
  changed: readonly Timed[],
): Promise<void> {
  await rows(
    em,
    `with sent as (
       select * from rows from (
         unnest($4::text[], $5::bigint[], $6::smallint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bytea[]),
         json_array_elements($12::json)) as t (ext_id, ts, feature, action_type, actor_id, target, mentioned, hash, body)),
     written as (
       insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target_entity_id, mentioned, content_hash, body)
       select $1, $2, $3, ext_id, ts, feature, action_type, actor_id, target, mentioned::bigint[], hash, body
       from sent order by ext_id collate "C"
       on conflict (org_id, ext_id) do update set document_id = excluded.document_id, ts = excluded.ts, feature = excluded.feature,
         action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
         mentioned = excluded.mentioned, content_hash = excluded.content_hash, body = excluded.body
       returning id, mentioned)
     insert into record_user (user_id, kind, record_id, api_key_id, org_id)
     select u.id, ${String(activityRecordKind)}, w.id, $1, $2 from written w cross join lateral unnest(w.mentioned) as u (id)
     on conflict do nothing`,
    [
      tenant.id,
      place.organization,
      place.document,
      changed.map(({ id }) => id),
      changed.map(({ at }) => at),
      changed.map(({ body }) => featureNumber(body.featureType)),
      changed.map(({ body }) => body.actionType),
      changed.map(({ body }) => place.users.get(body.actionUser.userId)),
      changed.map(({ body }) => body.targetEntityId ?? null),
      changed.map(({ mentioned }) => `{${surrogates(mentioned, place.users).join(',')}}`),
      changed.map(({ hash }) => hash),
      // As one text: in a list each would be written with its quotation marks escaped, and read so.
      `[${changed.map(({ json }) => json).join(',')}]`,
    ],
  );
}

function eventOf(place: ActivityPlace, activity: Timed) {
  const { organizationId, documentId, users } = place;
  return {
    type: activity.body.actionType,
    organization: place.organization,
    document: place.document,
    channels: [organizationId, documentId],
    payload: {
      ...activity.body,
      id: activity.id,
      timestamp: activity.at,
      metadata: { organizationId, documentId },
    },
    users: surrogates(new Set([activity.body.actionUser.userId, ...activity.mentioned]), users),
  };
}
