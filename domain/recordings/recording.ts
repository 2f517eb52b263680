import { canonicalHash } from '../../platform/json/canonical-hash.ts';
import type { Pausable } from '../../platform/process/in-turns.ts';
import { distinctNames } from '../users/name-index.ts';
import { addActor, namedPeople, type NamedPeople } from '../users/named-users.ts';
import { recordUserKinds } from '../users/record-user.entity.ts';

export const recordingTypes = ['audio', 'video', 'screen'] as const;
export const recordingModes = ['floating', 'thread'] as const;

/** The kind of recordings in `record_user`. */
export const recordingKind = recordUserKinds.recording;

/** A recording as sent, without the members that have columns. */
export interface SentRecordingBody {
  readonly from: { readonly userId: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

export interface RecordingInput {
  readonly id: string;
  /** False for a generated id, which cannot exist yet. */
  readonly idSent: boolean;
  /** Milliseconds since the epoch; undefined means now, or on an overwrite the stored time. */
  readonly createdAt: number | undefined;
  /** Milliseconds since the epoch; undefined means now. Raised to `createdAt`. */
  readonly lastUpdated: number | undefined;
  readonly body: SentRecordingBody;
}

export interface PreparedRecording extends RecordingInput {
  readonly json: string;
  /** Equal for equal content, independent of the order of its members. */
  readonly hash: Buffer;
  /** All people that the body names, except its author. */
  readonly people: NamedPeople;
  /** Keys of its free JSON, in the form of the name index. */
  readonly names: readonly string[];
}

/** Members whose names are never names of people, except `from`. All other members belong to the caller. */
const ownMembers: ReadonlySet<string> = new Set([
  'recordingType',
  'mode',
  'displayName',
  'recordedTime',
  'attachments',
  'transcription',
  'latestVersion',
  'location',
  'pageInfo',
  'context',
]);

/** Separates the author and the members of the schema from those that the caller added. */
export function partsOf({ from, ...others }: SentRecordingBody) {
  const entries = Object.entries(others);
  return {
    from,
    own: Object.fromEntries(entries.filter(([name]) => ownMembers.has(name))),
    free: Object.fromEntries(entries.filter(([name]) => !ownMembers.has(name))),
  };
}

/** Returns all people that a body names, except its author, whose id has a column. */
export function peopleOfRecording({ from, ...free }: SentRecordingBody): NamedPeople {
  const people = namedPeople(free);
  addActor(people, from);
  return people;
}

export function* prepareRecordings(recordings: readonly RecordingInput[]): Pausable<PreparedRecording[]> {
  const prepared: PreparedRecording[] = [];
  for (const recording of recordings) prepared.push(yield* prepareRecording(recording));
  return prepared;
}

function* prepareRecording(recording: RecordingInput): Pausable<PreparedRecording> {
  const { body } = recording;
  const people = peopleOfRecording(body);
  return {
    ...recording,
    json: JSON.stringify(body),
    hash: yield* canonicalHash(body),
    people,
    names: distinctNames(people.keys),
  };
}
