import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { keysLiteral } from '../../../platform/database/array-literal.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { activityLogKind, writeBody } from '../../activity-logs/activity-log.ts';
import type { ActivityLogBody } from '../../activity-logs/activity-log.entity.ts';
import { mentionedIn, notificationRecordKind } from '../../notifications/notification.ts';
import type { NotificationBody } from '../../notifications/notification.entity.ts';
import {
  partsOf,
  peopleOfRecording,
  recordingKind,
  type SentRecordingBody,
} from '../../recordings/recording.ts';
import { tablesOf } from '../../tables.ts';
import { threadsName, threadsWithout } from '../../users/users-in-threads.ts';
import { containsPeople } from './contains-people.ts';
import { withoutTexts } from './notification-texts.ts';
import {
  identifiesPerson,
  withoutPeople,
  withoutPeopleInside,
  type PersonIdentifiers,
} from './without-people.ts';

const HeldRow = z.strictObject({
  id: z.string(),
  mentioned: z.array(z.string()),
  body: z.unknown(),
  /** Whether it is the notification of a comment. */
  of_comment: z.boolean(),
});

/** A locked record as stored. */
export type HeldRecord = z.infer<typeof HeldRow>;

/** A record without the people. */
export interface ScrubbedRecord {
  readonly id: string;
  readonly json: string;
  /** Customer's ids of the people that it still names. */
  readonly names: ReadonlySet<string>;
  /** Null when no request can equal the record. */
  readonly hash: Buffer | null;
}

/** A kind of record with free JSON that outlives the people it names. */
export interface ScrubbedKind {
  /** Its name in the index of names, and its table. */
  readonly name: 'activity' | 'notification' | 'recording';
  /** Its number in `record_user`. */
  readonly number: number;
  /** The column of the person who caused the record, whose deletion deletes it. */
  readonly author: 'actor_id' | 'creator_id';
  /** SQL: the order in which writers lock these records. */
  readonly order: RawBuilder<unknown>;
  /** SQL: whether Steward created the record from a comment, with the names of users in its text. */
  readonly ofComment: RawBuilder<unknown>;
  /** SQL: assignments that remove what else a record keeps of its former body. */
  readonly forgetting?: RawBuilder<unknown>;
  scrub(record: HeldRecord, identifiers: PersonIdentifiers): ScrubbedRecord;
  /** Whether a body names these people other than as its actor. */
  names(body: unknown, identifiers: PersonIdentifiers): boolean;
}

const scrubbedActivities: ScrubbedKind = {
  name: 'activity',
  number: activityLogKind,
  author: 'actor_id',
  order: sql`org_id, ext_id`,
  ofComment: sql`false`,
  scrub({ id, body }, identifiers) {
    const activity = withoutInThreads(body as ActivityLogBody, identifiers);
    const { json, hash, mentioned } = writeBody({
      ...activity,
      actionUser: withoutPeopleInside(activity.actionUser, identifiers, 'free'),
      changes: withoutPeople(activity.changes, identifiers),
      entityData: withoutPeople(activity.entityData, identifiers),
      entityTargetData: withoutPeople(activity.entityTargetData, identifiers),
      displayMessageTemplateData: withoutPeople(activity.displayMessageTemplateData, identifiers),
    });
    return { id, json, hash, names: mentioned };
  },
  names(body, identifiers) {
    const { featureType, actionUser, changes, entityData, entityTargetData, displayMessageTemplateData } =
      body as ActivityLogBody;
    const free = [changes, entityData, entityTargetData, displayMessageTemplateData];
    return (
      containsPeople(free, identifiers) ||
      containsPeople(actionUser, identifiers, 'free') ||
      (featureType === 'comment' && threadsName(free, (userId) => identifiesPerson(userId, identifiers)))
    );
  },
};

/** Activity logs of comments contain rendered threads. */
function withoutInThreads(body: ActivityLogBody, identifiers: PersonIdentifiers): ActivityLogBody {
  if (body.featureType !== 'comment') return body;
  const { changes, entityData, entityTargetData } = body;
  return {
    ...body,
    ...threadsWithout({ changes, entityData, entityTargetData }, (userId) =>
      identifiesPerson(userId, identifiers),
    ),
  };
}

const scrubbedNotifications: ScrubbedKind = {
  name: 'notification',
  number: notificationRecordKind,
  author: 'actor_id',
  order: sql`ts, id`,
  ofComment: sql`thread_id is not null`,
  forgetting: sql`, canonical_hash = null`,
  scrub({ id, body: before, of_comment: ofComment }, identifiers) {
    const { actionUser, location, ...free } = withoutTexts(before as NotificationBody, ofComment);
    const body = {
      ...withoutPeopleInside(free, identifiers, 'schema'),
      actionUser: withoutPeopleInside(actionUser, identifiers, 'free'),
      // A notification keeps the ids of its location even when the location names a person.
      location: withoutPeople(location, identifiers) ?? locationIdsOnly(location),
    } as NotificationBody;
    // No hash: the request that wrote the notification named the people, so no later request can equal it.
    return { id, json: JSON.stringify(body), hash: null, names: mentionedIn(body) };
  },
  names(body, identifiers) {
    const { actionUser, ...free } = body as NotificationBody;
    return containsPeople(free, identifiers, 'schema') || containsPeople(actionUser, identifiers, 'free');
  },
};

const locationIdsOnly = (location: NotificationBody['location']): object | undefined =>
  location && { locationId: location.locationId, id: location.id };

const scrubbedRecordings: ScrubbedKind = {
  name: 'recording',
  number: recordingKind,
  author: 'creator_id',
  order: sql`org_id, ext_id, document_id`,
  ofComment: sql`false`,
  scrub({ id, body: before }, identifiers) {
    const { from, own, free } = partsOf(before as SentRecordingBody);
    const body = {
      ...withoutPeopleInside(own, identifiers, 'schema'),
      // Members that the caller added form one object: a `userId` among them names its person.
      ...(withoutPeople(free, identifiers) as object | undefined),
      from: withoutPeopleInside(from, identifiers, 'free'),
    };
    return { id, json: JSON.stringify(body), hash: null, names: peopleOfRecording(body).userIds };
  },
  names(body, identifiers) {
    const { from, own, free } = partsOf(body as SentRecordingBody);
    return (
      containsPeople(own, identifiers, 'schema') ||
      containsPeople(free, identifiers) ||
      containsPeople(from, identifiers, 'free')
    );
  },
};

export const scrubbedKinds: readonly ScrubbedKind[] = [
  scrubbedActivities,
  scrubbedNotifications,
  scrubbedRecordings,
];

/** Locks records after their writers commit, and returns their latest versions. */
export async function lockRecords(
  em: EntityManager,
  tenantId: string,
  { name, order, ofComment }: ScrubbedKind,
  ids: readonly string[],
): Promise<HeldRecord[]> {
  return rowsOf(
    em,
    HeldRow,
    sql`select id, mentioned, body, ${ofComment} as of_comment from ${sql.table(name)}
      where id = any(${ids}::bigint[]) and api_key_id = ${tenantId} order by ${order} for update`,
  );
}

/** Writes records and the surrogate keys of the people they still name, in one statement. */
export async function writeRecords(
  em: EntityManager,
  tenantId: string,
  { number, name, forgetting = sql`` }: ScrubbedKind,
  written: readonly (ScrubbedRecord & { readonly mentioned: readonly string[] })[],
): Promise<void> {
  if (written.length === 0) return;
  const table = sql.table(name);
  const ids = written.map(({ id }) => id);
  await sql`with sent as (
      select * from unnest(${ids}::bigint[], ${written.map(({ json }) => json)}::json[],
        ${written.map(({ mentioned }) => keysLiteral(mentioned))}::text[], ${written.map(({ hash }) => hash)}::bytea[])
        as t (id, body, mentioned, hash)),
    earlier as (
      select r.id, u.user_id from ${table} r join sent s on s.id = r.id cross join lateral unnest(r.mentioned) as u (user_id)
      where r.id = any(${ids}::bigint[]) and r.api_key_id = ${tenantId} and u.user_id <> all(s.mentioned::bigint[])),
    unnamed as (
      delete from record_user r using earlier e
      where r.user_id = e.user_id and r.kind = ${number} and r.record_id = e.id and r.api_key_id = ${tenantId})
    update ${table} r set body = s.body, mentioned = s.mentioned::bigint[], content_hash = s.hash${forgetting}
    from sent s where r.id = s.id and r.id = any(${ids}::bigint[]) and r.api_key_id = ${tenantId}`.execute(
    tablesOf(em),
  );
}
