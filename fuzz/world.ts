import type { credentialHeaders } from '../api/http/caller/authenticate.ts';
import type { Credentials } from '../api/http/endpoint.ts';
import { createClient, type ApiKeyClient } from '../packages/client/source/steward.ts';

type Header = (typeof credentialHeaders)[Credentials][number];

/** Ids of existing records, by the request member that names them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

/** The values that the hooks put into generated requests, so that more of them get past "does not exist". */
export interface World {
  /** Exists throughout the run. */
  readonly lasting: KnownIds;
  /** May be deleted or migrated by a request. */
  readonly spare: KnownIds;
  /** Credentials of every kind at once: each operation reads its own. */
  readonly headers: Readonly<Record<Header, string>>;
  /** The same with another key, whose settings requests may change. */
  readonly settingsHeaders: Readonly<Record<Header, string>>;
}

export interface WorldOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly authToken: string;
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
  readonly operatorToken: string;
}

const numbered = (name: string): string[] =>
  Array.from({ length: 100 }, (_, index) => `${name}-${String(index + 1)}`);

const spareOrganizations = numbered('organization');
const spareDocuments = numbered('document');
const spareFolders = numbered('folder');
const spareUsers = numbered('user');
const organizationId = 'acme';
const documentId = 'plan';

/** Creates the records of the run in an empty key through the API. */
export async function makeWorld(options: WorldOptions): Promise<World> {
  const { url: baseUrl, apiKey, authToken, workspaceId, workspaceAuthToken } = options;
  const headers = {
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
    'x-svc-workspace-id': workspaceId,
    'x-svc-workspace-auth-token': workspaceAuthToken,
    'x-svc-operator-token': options.operatorToken,
  };
  const workspace = createClient({ baseUrl, workspaceId, workspaceAuthToken });
  const makeKey = async (apiKeyName: string) =>
    (
      await workspace.workspace.apiKeys.create({
        ownerEmail: 'fuzz@example.com',
        type: 'testing',
        apiKeyName,
      })
    ).data;
  const [settings, spareKey] = [await makeKey('Settings'), await makeKey('Spare')];
  const client = createClient({ baseUrl, apiKey, authToken });
  await furnish(client);
  const activities = await client.activities.add({
    organizationId,
    documentId,
    activities: [1, 2, 3].map(() => ({
      featureType: 'comment' as const,
      actionType: 'comment.add',
      actionUser: { userId: 'u1' },
    })),
  });
  await client.crdt.add({
    organizationId,
    documentId,
    editorId: 'notes',
    type: 'map',
    data: { title: 'Plan' },
  });
  const execution = await client.agents.executions.add({
    agentId: 'summarizer',
    organizationId,
    documentId,
  });
  const notification = await client.notifications.add({
    organizationId,
    documentId,
    actionUser: { userId: 'u1' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Look.',
    notifyUsers: [{ userId: 'u2' }],
  });
  const migrated = await client.documents.migrate({
    organizationId,
    documentId: 'document-100',
    newDocumentId: 'document-101',
  });
  const jobs = [migrated.data.migrationId];
  const shared = { jobId: jobs, migrationId: jobs, apiKey: [spareKey.apiKey], apiKeys: [spareKey.apiKey] };
  return {
    lasting: {
      ...shared,
      ...lasting,
      activityIds: activities.data.activityIds,
      executionId: [execution.data.id],
      notificationId: [notification.data.notificationId],
      notificationIds: [notification.data.notificationId],
    },
    spare: { ...shared, ...lasting, ...spare },
    headers,
    settingsHeaders: {
      ...headers,
      'x-svc-api-key': settings.apiKey,
      'x-svc-auth-token': settings.authToken ?? '',
    },
  };
}

const lasting = {
  organizationId: [organizationId],
  organizationIds: [organizationId],
  documentId: [documentId, 'draft'],
  documentIds: [documentId, 'draft'],
  folderId: ['plans', 'plans-2027'],
  folderIds: ['plans', 'plans-2027'],
  parentFolderId: ['plans', 'root'],
  userId: ['u1', 'u2'],
  userIds: ['u1', 'u2'],
  editorId: ['notes'],
  organizationUserGroupId: ['designers'],
  organizationUserGroupIds: ['designers'],
};

const spare = {
  editorId: ['spare'],
  organizationIds: spareOrganizations,
  documentId: spareDocuments,
  documentIds: spareDocuments,
  folderId: spareFolders,
  folderIds: spareFolders,
  userId: spareUsers,
  userIds: spareUsers,
};

async function furnish(client: ApiKeyClient): Promise<void> {
  const all = <Member extends string>(member: Member, ids: readonly string[]) =>
    ids.map((id) => ({ [member]: id }) as Record<Member, string>);
  await client.organizations.add({
    organizations: all('organizationId', [organizationId, ...spareOrganizations]),
  });
  await client.folders.add({
    organizationId,
    folders: [
      { folderId: 'plans' },
      { folderId: 'plans-2027', parentFolderId: 'plans' },
      ...all('folderId', spareFolders),
    ],
  });
  await client.documents.add({
    organizationId,
    documents: all('documentId', [documentId, 'draft', ...spareDocuments]),
  });
  await client.users.add({ organizationId, users: all('userId', ['u1', 'u2', ...spareUsers]) });
  await client.userGroups.add({
    organizationId,
    organizationUserGroups: [{ organizationUserGroupId: 'designers', groupName: 'Designers' }],
  });
}
