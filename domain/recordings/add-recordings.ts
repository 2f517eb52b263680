import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { lockLocation, type LocationRequest } from '../documents/lock-location.ts';
import { accessByRule, allowEveryone, type MayReach } from '../notifications/decide-recipients.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { admitPeople } from '../users/lock-named.ts';
import { mergedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { removeRecordings } from './delete-recordings.ts';
import { emitRecordings } from './emit-recordings.ts';
import { leftToJobs } from './left-to-jobs.ts';
import { prepareRecordings, type PreparedRecording, type RecordingInput } from './recording.ts';
import { writeRecordings, type RecordingLocation, type WrittenRecording } from './write-recordings.ts';

export interface RecordingsRequest extends Omit<LocationRequest, 'userIds'> {
  /** Recordings with distinct ids. */
  readonly recordings: readonly RecordingInput[];
  /** Writes only recordings of authors with access to the document. */
  readonly verifyUserPermissions: boolean;
  /** Decisions of the permission provider, called beforehand; undefined for keys without one. */
  readonly byProvider: MayReach | undefined;
  /** Emits `recorder.done` and an activity log for each recording that changes. */
  readonly triggerActivities: boolean;
}

/**
 * Adds recordings to a document. An existing id is overwritten and keeps its time of creation unless another is sent. An
 * equal recording is neither written nor emitted. One that a job is still to remove counts as deleted. A recording whose
 * author has no access fails alone.
 */
export async function addRecordings(
  em: EntityManager,
  tenant: Tenant,
  request: RecordingsRequest,
): Promise<Outcomes> {
  const { recordings } = request;
  const prepared = await preparedWithinLimits(recordings);
  const mayWrite = await authorsWithAccess(em, tenant, request);
  const admitted = prepared.filter(({ body }) => mayWrite(body.from.userId));
  if (admitted.length > 0) await write(em, tenant, request, admitted);
  const ids = new Set(admitted.map(({ id }) => id));
  return new Map(recordings.map(({ id }) => [id, ids.has(id) ? added : refused]));
}

/** Prepares recordings. Throws INVALID_ARGUMENT when they name too many users. */
export async function preparedWithinLimits(
  recordings: RecordingsRequest['recordings'],
): Promise<readonly PreparedRecording[]> {
  const prepared = await inTurns(prepareRecordings(recordings));
  refuseManyUsers(usersOf(prepared).length, 'recordings');
  return prepared;
}

const added: Outcome = done('Added Successfully');
const refused: Outcome = failed('permission-denied', 'User does not have access to document');

const usersOf = (prepared: readonly PreparedRecording[]): string[] => [
  ...new Set(prepared.flatMap(({ body, people }) => [body.from.userId, ...people.userIds])),
];

/**
 * Returns the authors with access to the document. Creates the document first if the call may: its folder and access type
 * decide.
 */
async function authorsWithAccess(
  em: EntityManager,
  tenant: Tenant,
  request: RecordingsRequest,
): Promise<(userId: string) => boolean> {
  const { organizationId, documentId, recordings, byProvider } = request;
  if (!request.verifyUserPermissions) return () => true;
  const named = { organizationId, userIds: recordings.map(({ body }) => body.from.userId) };
  const { document } = await refusingFencedFirst(em, tenant, named, async () =>
    lockLocation(em, tenant, { ...request, userIds: [] }),
  );
  const location = { document, documentId };
  const authors = recordings.map(({ body }) => ({ userId: body.from.userId, location }));
  const mayReach: MayReach =
    authors.length === 0
      ? allowEveryone
      : (byProvider ?? (await accessByRule(em, tenant, organizationId, authors)));
  return (userId) => mayReach({ userId, location });
}

async function write(
  em: EntityManager,
  tenant: Tenant,
  request: RecordingsRequest,
  admitted: readonly PreparedRecording[],
): Promise<void> {
  const { organizationId, documentId } = request;
  const locked = await lockLocation(em, tenant, { ...request, userIds: usersOf(admitted) });
  const people = mergedPeople(admitted.map((recording) => recording.people));
  await admitPeople(em, tenant, locked.users, people, [locked.organization]);
  const location: RecordingLocation = { ...locked, organizationId, documentId };
  const existing = await withoutLeftToJobs(em, tenant, location, await lockExisting(em, location, admitted));
  const now = Date.now();
  const changed = admitted.flatMap((recording) => change(recording, existing.get(recording.id), now));
  if (changed.length === 0) return;
  await writeRecordings(em, tenant, location, changed);
  if (request.triggerActivities) await emitRecordings(em, tenant, location, changed);
}

interface Existing {
  /** Surrogate key. */
  readonly id: string;
  readonly createdAt: number;
  readonly lastUpdated: number;
  /** Null after the deletion of a user has changed the recording. */
  readonly hash: Buffer | null;
}

/** Existing recordings by id, locked: the second of two overwrites sees the first. */
async function lockExisting(
  em: EntityManager,
  { organization, document }: RecordingLocation,
  admitted: readonly PreparedRecording[],
): Promise<ReadonlyMap<string, Existing>> {
  const ids = admitted.filter(({ idSent }) => idSent).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await tablesOf(em)
    .selectFrom('recording')
    .select(['id', 'ext_id', 'created_at', 'updated_at', 'content_hash'])
    .where('org_id', '=', organization)
    .where('ext_id', '=', anyOf(ids))
    .where('document_id', '=', document)
    .orderBy('ext_id')
    .forNoKeyUpdate()
    .execute();
  return new Map(
    found.map(({ id, ext_id, created_at, updated_at, content_hash }) => [
      ext_id,
      { id, createdAt: Number(created_at), lastUpdated: Number(updated_at), hash: content_hash },
    ]),
  );
}

/** Removes the recordings that jobs are still to remove, and returns the others. */
async function withoutLeftToJobs(
  em: EntityManager,
  tenant: Tenant,
  { organization }: RecordingLocation,
  existing: ReadonlyMap<string, Existing>,
): Promise<ReadonlyMap<string, Existing>> {
  const ids = [...existing.values()].map(({ id }) => id);
  const left = await leftToJobs(em, organization, ids);
  if (left.size === 0) return existing;
  await removeRecordings(em, tenant.id, [...left]);
  return new Map([...existing].filter(([, { id }]) => !left.has(id)));
}

/** Returns the recording with its times; an empty array when it equals the stored one. */
function change(
  recording: PreparedRecording,
  existing: Existing | undefined,
  now: number,
): WrittenRecording[] {
  const createdAt = recording.createdAt ?? existing?.createdAt ?? now;
  const lastUpdated = Math.max(recording.lastUpdated ?? now, createdAt);
  const equal =
    existing?.hash?.equals(recording.hash) === true &&
    createdAt === existing.createdAt &&
    (recording.lastUpdated === undefined || lastUpdated === existing.lastUpdated);
  return equal ? [] : [{ recording, createdAt, lastUpdated, exists: existing !== undefined }];
}
