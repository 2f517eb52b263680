import { randomBytes } from 'node:crypto';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { TestApi } from './api.ts';
import type { Response, TestClient } from './client.ts';
import {
  aDocument,
  activities,
  addActivityLogs,
  aFolder,
  aScopedToken,
  anOperator,
  anOperatorToken,
  anOrganization,
  aTenant,
  freshId,
  withActivityLogs,
  type TestTenant,
} from './factories.ts';

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

/** Which member of a request carries which kind; `list.member` is that member of the list's records. A member that looks like an id and is not here fails the walks. */
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

/** Something of every kind, owned by one tenant. */
export interface World {
  readonly tenant: TestTenant;
  readonly ids: WorldIds;
}

/** A tenant with an organization, folders, documents, members, a group of them, activities, a notification, and jobs that wait. */
export async function aWorld(api: TestApi, newTenant: typeof aTenant = aTenant): Promise<World> {
  const tenant = await newTenant(api);
  const furnished = await furnish(tenant);
  const ids: WorldIds = {
    ...furnished,
    recording: [await aRecording(tenant, furnished)],
    annotation: [await anAnnotation(tenant, furnished)],
    annotationStatus: ['OPEN'],
    receipt: [await aReceipt(tenant)],
    key: [tenant.keyId],
    operatorToken: [await operatorTokenOf(api)],
    authToken: [(await aScopedToken(tenant, ['documents:read'])).authTokenId],
    keyName: [await nameOf(tenant)],
    keyDeletion: [await aKeyDeletion(tenant, await newTenant(api, { workspace: tenant.workspace }))],
    workspace: [tenant.workspace.workspaceId],
  };
  return { tenant, ids };
}

/** Kinds that came after release 0.1.0. */
type LaterKind =
  | 'recording'
  | 'annotation'
  | 'annotationStatus'
  | 'receipt'
  | 'key'
  | 'operatorToken'
  | 'authToken'
  | 'keyName'
  | 'keyDeletion'
  | 'workspace';

/** Adds something of every kind that release 0.1.0 knows. */
export async function furnish(empty: TestTenant): Promise<Omit<WorldIds, LaterKind>> {
  const tenant = await withActivityLogs(empty);
  const organizationId = await anOrganization(tenant, { plan: 'gold' });
  const { folderId } = await aFolder(tenant, { organizationId });
  const { folderId: below } = await aFolder(tenant, { organizationId, parentFolderId: folderId });
  const { documentId } = await aDocument(tenant, { organizationId, folderId });
  const { documentId: second } = await aDocument(tenant, { organizationId });
  const moving = await aDocument(tenant, { organizationId });
  const user = freshId('user');
  const users = [{ userId: user, name: 'Ada', email: 'ada@example.com' }];
  await tenant.ok('/v2/users/add', { organizationId, users });
  await tenant.ok('/v2/users/add', { organizationId, documentId, users });
  const userGroup = freshId('userGroup');
  const group = { organizationId, organizationUserGroupId: userGroup };
  await tenant.ok('/v2/organizations/usergroups/add', {
    organizationId,
    organizationUserGroups: [{ organizationUserGroupId: userGroup, groupName: 'Designers' }],
  });
  await tenant.ok('/v2/organizations/usergroups/users/add', { ...group, userIds: [user] });
  // Pages order records by time: those of one moment would come in the order of their random ids.
  const records = activities(2, { actionUser: { userId: user, name: 'Ada' } }).map((record, index) => ({
    ...record,
    timestamp: Date.now() + index,
  }));
  const activity = await addActivityLogs(tenant, { organizationId, documentId }, records);
  const notification = freshId('notification');
  const location = freshId('location');
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/notifications/add', {
    organizationId,
    documentId,
    notificationId: notification,
    actionUser: { userId: user, name: 'Ada' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Ada wrote.',
    location: { locationId: location },
    notifyUsers: users,
  });
  const agent = freshId('agent');
  const execution = freshId('execution');
  await tenant.ok('/v2/agents/execution/add', {
    agentId: agent,
    executionId: execution,
    organizationId,
    documentId,
    ranBy: { userId: user, name: 'Ada' },
  });
  const editor = freshId('editor');
  await tenant.ok('/v2/crdt/add', {
    organizationId,
    documentId,
    editorId: editor,
    type: 'map',
    data: { title: 'Plan of Ada' },
    lastUpdatedBy: user,
  });
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...moving,
    newDocumentId: freshId('document'),
  });
  const deletion = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', {
    userIds: [user],
    dryRun: true,
  });
  return {
    organization: [organizationId],
    document: [documentId, second],
    newDocument: [freshId('document')],
    folder: [folderId, below],
    user: [user],
    userGroup: [userGroup],
    activity,
    target: ['target-0', 'target-1'],
    agent: [agent],
    execution: [execution],
    editor: [editor],
    notification: [notification],
    location: [location],
    job: [data.migrationId],
    deletion: [deletion.data.jobId],
    apiKey: [tenant.apiKey],
    ...(await aTestedEndpoint(tenant)),
  };
}

const operatorTokens = new WeakMap<TestApi, Promise<string>>();

/** An operator token that all worlds of an API share, because an installation has at most 100. */
async function operatorTokenOf(api: TestApi): Promise<string> {
  const made = operatorTokens.get(api) ?? anOperatorToken(anOperator(api)).then(({ tokenId }) => tokenId);
  operatorTokens.set(api, made);
  return made;
}

/** A recording by the first user in the first document. */
async function aRecording(
  tenant: TestTenant,
  { organization, document, user }: Pick<WorldIds, 'organization' | 'document' | 'user'>,
): Promise<string> {
  const annotationId = freshId('recording');
  const from = { userId: user[0], name: 'Ada', email: 'ada@example.com' };
  await tenant.ok('/v2/recordings/add', {
    organizationId: organization[0],
    documentId: document[0],
    recordings: [{ annotationId, from, recordingType: 'audio' }],
  });
  return annotationId;
}

/** An annotation with comments by the first user, who reacts to the first one, in the first document. */
async function anAnnotation(
  tenant: TestTenant,
  { organization, document, user, location }: Omit<WorldIds, LaterKind>,
): Promise<string> {
  const annotationId = freshId('annotation');
  const from = { userId: user[0], name: 'Ada', email: 'ada@example.com' };
  await tenant.ok('/v2/commentannotations/add', {
    organizationId: organization[0],
    documentId: document[0],
    commentAnnotations: [
      {
        annotationId,
        location: { id: location[0] },
        commentData: [1, 2, 3].map((commentId) => ({ commentId, from, commentText: 'Of Ada' })),
      },
    ],
  });
  await tenant.ok('/v2/commentannotations/comments/reactions/add', {
    organizationId: organization[0],
    documentId: document[0],
    annotationId,
    commentId: 1,
    icon: '👍',
    from,
  });
  return annotationId;
}

const nameOf = async ({ workspace, apiKey }: TestTenant): Promise<string> => {
  const keys = await workspace.ok<{ apiKeyName: string }[]>('/v2/workspace/apikeys/get', {
    apiKeys: [apiKey],
  });
  return keys.data[0]?.apiKeyName ?? '';
};

/** The job that deletes another key of the workspace. */
async function aKeyDeletion({ workspace }: TestTenant, gone: TestTenant): Promise<string> {
  const data = { apiKey: gone.apiKey, confirmName: await nameOf(gone) };
  return (await workspace.ok<{ jobId: string }>('/v2/workspace/apikey/delete', data)).data.jobId;
}

/** The signed receipt of a deletion that was cancelled before it began. */
async function aReceipt(tenant: TestTenant): Promise<string> {
  const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', {
    userIds: [freshId('gone')],
  });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
  const status = await tenant.ok<{ receipt: { jws: string } }>('/v2/users/data/delete/status', {
    jobId: data.jobId,
  });
  return status.data.receipt.jws;
}

/** An endpoint of advanced webhooks, and a message to it that failed: nothing private may be called. */
async function aTestedEndpoint(tenant: TestTenant): Promise<Pick<WorldIds, 'endpoint' | 'message'>> {
  const at = '/v2/workspace/advancedwebhook/endpoints';
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { data: endpoint } = await tenant.ok<{ id: string }>(`${at}/create`, { url: 'http://127.0.0.1/' });
  const { data: tested } = await tenant.ok<{ messageId: string }>(`${at}/test`, { endpointId: endpoint.id });
  return { endpoint: [endpoint.id], message: [tested.messageId] };
}

/** Ids of the same forms that nobody has. */
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

/** Of a resource that is named by `type` and `id`: the member that carries such an id elsewhere. */
const resourceMembers: ReadonlyMap<unknown, string> = new Map([
  ['organization', 'organizationId'],
  ['folder', 'folderId'],
  ['document', 'documentId'],
]);

/** The data of an example, or of any request, with its ids exchanged for those of a world. `root` stays, and so does `new-…`: what an addition adds. */
export function about(ids: WorldIds, data: unknown): object {
  const given = new Map<string, string>();
  const counts = new Map<string, number>();
  const exchanged = (kind: keyof WorldIds, value: string): string => {
    if (value === 'root' || value.startsWith('new-')) return value;
    const known = given.get(`${kind}/${value}`);
    if (known !== undefined) return known;
    const place = counts.get(kind) ?? 0;
    counts.set(kind, place + 1);
    const id = ids[kind][place] ?? `${ids[kind][0] ?? kind}-${String(place)}`;
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

/** The one job that examples show the status of a deletion by; the others are migrations. */
const jobOfADeletion = 'job_0123456789abcdefghijABCDEFGHIJ02';

/** The one job that examples show the status of a key's deletion by. */
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
  // The one key of a provider's own that is sent under this name.
  if (member === 'apiKey' && !value.startsWith('key_')) return value;
  const kind = jobKinds.get(value) ?? kinds[member];
  if (kind !== undefined) return exchanged(kind, value);
  if (/Ids?$/.test(member) && !member.endsWith('TemplateId')) {
    throw new Error(`Tell test/support/world.ts which kind of id ${member} is.`);
  }
  return value;
}

/** An operation under one of its paths. */
export interface Operation {
  readonly endpoint: Endpoint;
  readonly path: string;
}

export const operations: readonly Operation[] = endpoints.flatMap((endpoint) =>
  endpoint.paths.map((path) => ({ endpoint, path })),
);

export const mutations = operations.filter(({ endpoint }) => endpoint.mutates);

/** The example, and for each id that the operation also takes, the example with that id added, or the id alone where it excludes others. */
export function requestsOf({ data, example }: Endpoint): readonly object[] {
  const shape = (data as { shape?: object }).shape ?? {};
  const sent = example as object;
  const more = Object.keys(shape).filter(
    (member) => kinds[member] !== undefined && !Object.hasOwn(sent, member),
  );
  const flags = Object.fromEntries(
    ['createOrganization', 'createDocument', 'createFolder']
      .filter((flag) => Object.hasOwn(shape, flag))
      .map((flag) => [flag, true]),
  );
  return [
    sent,
    ...more.map((member) => {
      const added = { [member]: member.endsWith('s') ? ['any'] : 'any' };
      const both = { ...sent, ...added };
      return !data.safeParse(both).success && data.safeParse(added).success ? added : both;
    }),
    ...(Object.keys(flags).length > 0 ? [{ ...sent, ...flags }] : []),
  ];
}

/** The client with the credentials that the operation asks for. */
export function callerOf(api: TestApi, tenant: TestTenant, { credentials }: Endpoint): TestClient {
  if (credentials === 'apiKey') return tenant;
  return credentials === 'workspace' ? tenant.workspace : anOperator(api);
}

/** Status and body, with ids, random tokens and times written as what they are: equal for callers who may learn the same. */
export function normalised({ status, text }: Response, ids: WorldIds): string {
  let body = text;
  for (const [kind, known] of Object.entries(ids)) {
    for (const [place, id] of (known as string[]).entries())
      body = body.replaceAll(id, `<${kind} ${String(place)}>`);
  }
  body = body
    .replace(/"requestId":"[^"]+"/g, '"requestId":"<request>"')
    .replace(/\b([a-z]{2,4})_(?:0_)?[\w-]{32}/g, '<$1>')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>')
    .replace(/\b1\d{12}\b/g, '<ms>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  return `${String(status)} ${body}`;
}
