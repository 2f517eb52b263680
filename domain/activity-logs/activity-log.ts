import { sha256 } from '../../platform/encryption/tokens.ts';
import { distinctNames } from '../users/name-index.ts';
import { recordUserKinds } from '../users/record-user.entity.ts';
import { featureNumbers } from './activity-log.entity.ts';
import { namedPeople, type NamedPeople } from '../users/named-users.ts';

/** What an activity is about. */
export const featureTypes = ['comment', 'reaction', 'recorder', 'crdt', 'custom'] as const;
export type FeatureType = (typeof featureTypes)[number];

export const featureNumber = (feature: FeatureType) => featureNumbers[feature];

/** What `record_user` calls the records of this folder. */
export const activityLogKind = recordUserKinds.activity;

/** A record as it was sent. `writeBody` says which members are stored as its body. */
export interface ActivityLogBody {
  readonly featureType: FeatureType;
  readonly actionType: string;
  readonly actionUser: { readonly userId: string };
  readonly targetEntityId?: string | undefined;
  readonly changes?: unknown;
  readonly entityData?: unknown;
  readonly entityTargetData?: unknown;
  readonly displayMessageTemplateData?: unknown;
  readonly [member: string]: unknown;
}

export interface ActivityLogInput {
  readonly id: string;
  /** False when the id was made here: nothing can have it yet. */
  readonly idSent: boolean;
  /** Milliseconds; undefined is the present, or on an overwrite what stands. */
  readonly timestamp: number | undefined;
  readonly body: ActivityLogBody;
}

/** A record ready to be written. */
export interface PreparedActivityLog extends ActivityLogInput, WrittenBody {}

/** A body as it is stored. */
export interface WrittenBody {
  readonly json: string;
  readonly hash: Buffer;
  /** Users that its free members name; the acting one has a column of its own. */
  readonly mentioned: ReadonlySet<string>;
  /** The same, with its other keys and the addresses that it gives. */
  readonly people: NamedPeople;
  /** Its other keys, as the index knows them. */
  readonly names: readonly string[];
}

/** Members are written in one order, whatever the order they came in: the same content has the same hash. */
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
  const { userId, ...ofActor } = body.actionUser as ActionUser;
  const people = namedPeople(changes, entityData, entityTargetData, displayMessageTemplateData, ofActor);
  if (typeof ofActor.email === 'string') people.addresses.push([userId, ofActor.email]);
  return { json, hash: sha256(json), mentioned: people.userIds, people, names: distinctNames(people.keys) };
}

type ActionUser = ActivityLogBody['actionUser'] & { readonly email?: unknown };

export function prepare(activityLog: ActivityLogInput): PreparedActivityLog {
  return { ...activityLog, ...writeBody(activityLog.body) };
}
