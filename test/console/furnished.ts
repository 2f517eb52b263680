import type { TestApi } from '../support/api.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { responding, type Receiver } from '../support/receiver.ts';
import { aListeningTenant } from '../support/webhooks.ts';
import { withActivityLogs, type TestTenant } from '../support/factories.ts';
import { turnsOf } from '../domain/webhooks/turns.ts';
import { documentId, organizationId, userId, type Furnished } from './all-pages.ts';

const location = { organizationId, documentId };

/**
 * Stores `text`, of at most 200 characters, in names and contents of customers, in payloads of events, and in
 * responses of their receiver. STEWARD_OUTBOUND_ALLOWED_NETWORKS must allow the receiver's address.
 */
export async function furnished(api: TestApi, receiver: Receiver, text: string): Promise<Furnished> {
  const tenant = await withActivityLogs(await aListeningTenant(api));
  await tenant.workspace.ok('/v2/workspace/apikey/update', { apiKey: tenant.apiKey, apiKeyName: text });
  await tenant.workspace.ok('/v2/workspace/authtokens/add', {
    apiKey: tenant.apiKey,
    name: text.slice(0, 100),
    scopes: ['organizations:read'],
  });
  await addLocations(tenant, text);
  await addRecords(tenant, text);
  await anEndedDelivery(api, { tenantId: tenant.id, notificationId: 'moved', userId });
  const webhooks = await addMessages(api, tenant, receiver, text);
  const job = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    organizationId,
    documentId: 'moving',
    newDocumentId: text.slice(0, 100),
  });
  return { tenant, ...webhooks, jobId: job.data.migrationId };
}

async function addLocations(tenant: TestTenant, text: string): Promise<void> {
  await tenant.ok('/v2/organizations/add', {
    organizations: [{ organizationId, organizationName: text, plan: text }],
  });
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId: 'drafts', folderName: text }],
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [
      { documentId, documentName: text, note: text },
      { documentId: 'moving', documentName: text },
    ],
  });
  await tenant.ok('/v2/users/add', {
    organizationId,
    users: [{ userId, name: text, email: 'ada@example.com', title: text }],
  });
  await tenant.ok('/v2/organizations/usergroups/add', {
    organizationId,
    organizationUserGroups: [{ organizationUserGroupId: 'authors', groupName: text }],
  });
  await tenant.ok('/v2/organizations/usergroups/users/add', {
    organizationId,
    organizationUserGroupId: 'authors',
    userIds: [userId],
  });
}

async function addRecords(tenant: TestTenant, text: string): Promise<void> {
  const author = { userId, name: text };
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [
      { location: { id: 'intro', locationName: text }, commentData: [{ from: author, commentText: text }] },
    ],
  });
  await tenant.ok('/v2/activities/add', {
    ...location,
    activities: [
      {
        featureType: 'custom',
        actionType: 'custom',
        actionUser: author,
        targetEntityId: 'card',
        displayMessageTemplate: text,
      },
    ],
  });
  await tenant.ok('/v2/crdt/add', {
    ...location,
    editorId: 'notes',
    type: 'map',
    data: { title: text, [text]: text },
    lastUpdatedBy: userId,
  });
  await tenant.ok('/v2/notifications/add', {
    ...location,
    notificationId: 'moved',
    actionUser: author,
    displayHeadlineMessageTemplate: text,
    displayBodyMessage: text,
    notifyUsers: [{ userId }],
  });
}

/** An endpoint whose receiver fails, and a message with the text in payload and response. */
async function addMessages(
  api: TestApi,
  tenant: TestTenant,
  receiver: Receiver,
  text: string,
): Promise<Pick<Furnished, 'endpointId' | 'messageId'>> {
  receiver.behave(responding(500, { 'content-type': 'text/html' }, text));
  const endpoints = '/v2/workspace/advancedwebhook/endpoints';
  const { data: endpoint } = await tenant.ok<{ id: string }>(`${endpoints}/create`, {
    url: `${receiver.url}?query=${encodeURIComponent(text)}`,
    description: text,
  });
  const turns = turnsOf(api);
  try {
    await turns.queued(tenant, [
      { payload: { featureType: 'comment', actionType: 'comment.add', note: text } },
    ]);
    await turns.turn(tenant, endpoint.id);
  } finally {
    await turns.close();
  }
  const { data } = await tenant.ok<{ messages: readonly { readonly id: string }[] }>(
    `${endpoints}/messages/get`,
    {
      endpointId: endpoint.id,
    },
  );
  return { endpointId: endpoint.id, messageId: data.messages[0]?.id ?? '' };
}
