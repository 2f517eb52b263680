import { sha256 } from '../../platform/encryption/tokens.ts';
import { namesOf } from '../names-of.ts';
import { distinctTexts } from '../users/name-index.ts';
import { recordUserKinds } from '../users/record-user.entity.ts';
import { addActor, namedPeople, type NamedPeople } from '../users/named-users.ts';
import { addUsersInThreads } from '../users/users-in-threads.ts';
import { featureNumbers, type ActivityLogBody } from './activity-log.entity.ts';

/** The feature that an activity log belongs to. */
export const featureTypes = namesOf(featureNumbers);

/** The `kind` of activity logs in `record_user`. */
export const activityLogKind = recordUserKinds.activity;

/** Max JSON bytes of a record, as sent and as stored. */
export const maxActivityLogBytes = 262_144;

/** An activity log as sent, with its id. */
export interface ActivityLogInput {
  readonly id: string;
  /** False for a generated id, which cannot exist yet. */
  readonly idSent: boolean;
  /** Milliseconds since the epoch; undefined means now, or on an overwrite the stored time. */
  readonly timestamp: number | undefined;
  readonly body: ActivityLogBody;
}

/** A record ready to be written. Batches wait for PostgreSQL in this form, so it omits `people`, which is large. */
export interface PreparedActivityLog extends ActivityLogInput, Omit<WrittenBody, 'people'> {
  /** User ids, each with the e-mail address given beside it. */
  readonly addresses: NamedPeople['addresses'];
}

/** A body in stored form. */
export interface WrittenBody {
  readonly json: string;
  readonly hash: Buffer;
  /** The customer's ids of users named in its free JSON. The acting user has a column of its own. */
  readonly mentioned: ReadonlySet<string>;
  /** The same users, with the other keys of the JSON and the e-mail addresses in it. */
  readonly people: NamedPeople;
  /** The other keys that can be ids or addresses, as sent. */
  readonly names: readonly string[];
}

/** The distinct names in records, as sent. */
export function namesInLogs(activityLogs: readonly Pick<WrittenBody, 'names'>[]): Set<string> {
  const all = new Set<string>();
  for (const { names } of activityLogs) for (const name of names) all.add(name);
  return all;
}

/** Members are written in a fixed order, so that equal content has an equal hash. */
export function writeBody(body: ActivityLogBody): WrittenBody {
  const { changes, entityData, entityTargetData, displayMessageTemplateData } = body;
  const json = JSON.stringify({
    featureType: body.featureType,
    actionType: body.actionType,
    actionUser: body.actionUser,
    targetEntityId: body.targetEntityId,
    targetSubEntityId: body['targetSubEntityId'],
    changes,
    entityData,
    entityTargetData,
    displayMessageTemplate: body['displayMessageTemplate'],
    displayMessageTemplateData,
    actionIcon: body['actionIcon'],
    isActivityResolverUsed: body['isActivityResolverUsed'],
  });
  const people = namedPeople(changes, entityData, entityTargetData, displayMessageTemplateData);
  if (body.featureType === 'comment')
    addUsersInThreads(people.userIds, [changes, entityData, entityTargetData]);
  addActor(people, body.actionUser);
  return { json, hash: sha256(json), mentioned: people.userIds, people, names: distinctTexts(people.keys) };
}

const noUsers: ReadonlySet<string> = new Set();
const noAddresses: NamedPeople['addresses'] = [];

/** Adds the stored form of the body, without the people it names. */
export function prepare({ id, idSent, timestamp, body }: ActivityLogInput): PreparedActivityLog {
  const { json, hash, mentioned, people, names } = writeBody(body);
  return {
    id,
    idSent,
    timestamp,
    body,
    json,
    hash,
    mentioned: mentioned.size > 0 ? mentioned : noUsers,
    names,
    addresses: people.addresses.length > 0 ? people.addresses : noAddresses,
  };
}
