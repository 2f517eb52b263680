import type { TestApi } from './api.ts';
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
import type { WorldIds } from './world-ids.ts';

/** Records of every kind, owned by one tenant. */
export interface World {
  readonly tenant: TestTenant;
  readonly ids: WorldIds;
}

/** Creates a tenant with an organization, folders, documents, members, a group, activity logs, a notification, and pending jobs. */
export async function aWorld(api: TestApi, newTenant: typeof aTenant = aTenant): Promise<World> {
  const { tenant, ids } = await aWorldOf020(api, newTenant);
  const recording = [await aRecording(tenant, ids)];
  const annotation = [await anAnnotation(tenant, ids)];
  return { tenant, ids: { ...ids, recording, annotation } };
}

/** Creates the same without records that release 0.2.0 does not know: ids of recordings and annotations are unused. */
export async function aWorldOf020(api: TestApi, newTenant: typeof aTenant): Promise<World> {
  const tenant = await newTenant(api);
  const furnished = await furnish(tenant);
  const ids: WorldIds = {
    ...furnished,
    recording: [freshId('recording')],
    annotation: [freshId('annotation')],
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

/** Kinds that were added after release 0.1.0. */
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

/** Adds records of every kind that release 0.1.0 knows. */
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
  // Pages order records by time, and records of the same millisecond by their random ids.
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
  { organization, document, user, location }: WorldIds,
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

/** The signed receipt of a deletion that was canceled before it began. */
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

/** An endpoint of advanced webhooks, and a failed message to its private address. */
async function aTestedEndpoint(tenant: TestTenant): Promise<Pick<WorldIds, 'endpoint' | 'message'>> {
  const at = '/v2/workspace/advancedwebhook/endpoints';
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { data: endpoint } = await tenant.ok<{ id: string }>(`${at}/create`, { url: 'http://127.0.0.1/' });
  const { data: tested } = await tenant.ok<{ messageId: string }>(`${at}/test`, { endpointId: endpoint.id });
  return { endpoint: [endpoint.id], message: [tested.messageId] };
}
