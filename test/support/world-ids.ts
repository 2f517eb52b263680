import { randomBytes } from 'node:crypto';
import { freshId } from './factories.ts';

/** Kinds of id that requests carry, each with ids that stand for the first, second … different one of an example. */
export interface WorldIds {
  readonly organization: readonly string[];
  readonly document: readonly string[];
  readonly newDocument: readonly string[];
  readonly folder: readonly string[];
  readonly user: readonly string[];
  readonly userGroup: readonly string[];
  readonly activity: readonly string[];
  readonly target: readonly string[];
  readonly agent: readonly string[];
  readonly execution: readonly string[];
  readonly editor: readonly string[];
  readonly notification: readonly string[];
  readonly location: readonly string[];
  readonly recording: readonly string[];
  readonly annotation: readonly string[];
  readonly annotationStatus: readonly string[];
  readonly job: readonly string[];
  readonly deletion: readonly string[];
  readonly receipt: readonly string[];
  readonly apiKey: readonly string[];
  /** Public ids of API keys. */
  readonly key: readonly string[];
  readonly endpoint: readonly string[];
  readonly message: readonly string[];
  readonly operatorToken: readonly string[];
  readonly authToken: readonly string[];
  readonly keyName: readonly string[];
  readonly keyDeletion: readonly string[];
  readonly workspace: readonly string[];
}

/**
 * Kinds of id by member of a request; `list.member` is a member of the list's records. Tests fail for a member that
 * looks like an id and is missing here.
 */
export const kinds: Readonly<Record<string, keyof WorldIds>> = {
  organizationId: 'organization',
  organizationIds: 'organization',
  documentId: 'document',
  documentIds: 'document',
  newDocumentId: 'newDocument',
  folderId: 'folder',
  folderIds: 'folder',
  parentFolderId: 'folder',
  userId: 'user',
  userIds: 'user',
  organizationUserGroupId: 'userGroup',
  organizationUserGroupIds: 'userGroup',
  activityIds: 'activity',
  'activities.id': 'activity',
  targetEntityId: 'target',
  agentId: 'agent',
  agentIds: 'agent',
  executionId: 'execution',
  editorId: 'editor',
  editorIds: 'editor',
  notificationId: 'notification',
  notificationIds: 'notification',
  'notifications.id': 'notification',
  locationId: 'location',
  'recordings.annotationId': 'recording',
  recordingIds: 'recording',
  locationIds: 'location',
  annotationId: 'annotation',
  annotationIds: 'annotation',
  'commentAnnotations.annotationId': 'annotation',
  mentionedUserIds: 'user',
  resolvedBy: 'user',
  resolvedByUserId: 'user',
  statusUpdatedByUserId: 'user',
  visibleToUserIds: 'user',
  statusId: 'annotationStatus',
  statusIds: 'annotationStatus',
  readByUserIds: 'user',
  jobId: 'job',
  migrationId: 'job',
  apiKey: 'apiKey',
  apiKeys: 'apiKey',
  keyId: 'key',
  endpointId: 'endpoint',
  messageId: 'message',
  eventId: 'message',
  receipt: 'receipt',
  tokenId: 'operatorToken',
  authTokenId: 'authToken',
  confirmName: 'keyName',
  workspaceId: 'workspace',
};

/** Unused ids of the same forms. */
export function unknownIds(like: WorldIds): WorldIds {
  const unknown = (ids: readonly string[]): string[] =>
    ids.map((id) => {
      if (id.startsWith('eyJ')) return `eyJ${randomBytes(24).toString('base64url')}`;
      return /^(?:job|key|akid|ep|evt|optk|atk|ws)_/.test(id)
        ? `${id.slice(0, id.indexOf('_') + 1)}${randomBytes(24).toString('base64url')}`
        : freshId(id.replace(/-[\da-f-]{36}$|-\d$/, '')).slice(0, id.length);
    });
  return Object.fromEntries(
    Object.entries(like).map(([kind, ids]) => [kind, unknown(ids)]),
  ) as unknown as WorldIds;
}

/** For a resource with `type` and `id`: the member that carries such an id in other requests. */
const resourceMembers: ReadonlyMap<unknown, string> = new Map([
  ['organization', 'organizationId'],
  ['folder', 'folderId'],
  ['document', 'documentId'],
]);

/** Returns the data of a request with its ids replaced by those of a world. Keeps `root`, and `new-…`, which additions use. */
export function about(ids: WorldIds, data: unknown): object {
  const given = new Map<string, string>();
  const counts = new Map<string, number>();
  const exchanged = (kind: keyof WorldIds, value: string): string => {
    if (value === 'root' || value.startsWith('new-')) return value;
    const known = given.get(`${kind}/${value}`);
    if (known !== undefined) return known;
    const index = counts.get(kind) ?? 0;
    counts.set(kind, index + 1);
    const id = ids[kind][index] ?? `${ids[kind][0] ?? kind}-${String(index)}`;
    given.set(`${kind}/${value}`, id);
    return id;
  };
  const walk = (part: unknown, member: string): unknown => {
    if (typeof part === 'string') return exchangedMember(part, member, exchanged);
    if (Array.isArray(part)) return part.map((item) => walk(item, member));
    if (typeof part !== 'object' || part === null) return part;
    const ownId = resourceMembers.get(Reflect.get(part, 'type'));
    const named = (name: string): string => {
      if (name === 'id' && ownId !== undefined) return ownId;
      return Object.hasOwn(kinds, `${member}.${name}`) ? `${member}.${name}` : name;
    };
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, walk(value, named(name))]));
  };
  return walk(data, '') as object;
}

/** The job whose deletion status examples show. The others are migrations. */
const jobOfADeletion = 'job_0123456789abcdefghijABCDEFGHIJ02';

/** The job whose status of a key deletion examples show. */
const jobOfAKeyDeletion = 'job_0123456789abcdefghijABCDEFGHIJ03';

const jobKinds: ReadonlyMap<string, keyof WorldIds> = new Map([
  [jobOfADeletion, 'deletion'],
  [jobOfAKeyDeletion, 'keyDeletion'],
]);

function exchangedMember(
  value: string,
  member: string,
  exchanged: (kind: keyof WorldIds, value: string) => string,
): string {
  // The only key of an AI provider that is sent under this name.
  if (member === 'apiKey' && !value.startsWith('key_')) return value;
  const kind = jobKinds.get(value) ?? kinds[member];
  if (kind !== undefined) return exchanged(kind, value);
  if (/Ids?$/.test(member) && !member.endsWith('TemplateId')) {
    throw new Error(`Add the kind of id of ${member} to test/support/world-ids.ts.`);
  }
  return value;
}
