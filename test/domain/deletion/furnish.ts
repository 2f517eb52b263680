import type { TestApi } from '../../support/api.ts';
import {
  aDocument,
  addActivityLogs,
  anOrganization,
  aTenant,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../../support/factories.ts';

/** A user as callers send it. */
export interface TestPerson {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

export const aPerson = (userId: string): TestPerson => ({
  userId,
  name: `Name of ${userId}`,
  email: `${userId.toLowerCase().replaceAll(/[^a-z]/gu, '') || 'x'}@example.com`,
});

export interface Furnished {
  readonly organizationId: string;
  readonly documentId: string;
}

/** A tenant with every service enabled, and an endpoint, so that events are recorded. */
export async function aBusyTenant(api: TestApi): Promise<TestTenant> {
  const tenant = await withActivityLogs(await aTenant(api));
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await api.database.sql(
    `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'https://example.com')`,
    [tenant.id, freshId('ep')],
  );
  return tenant;
}

/** Writes data of two users into every store of one organization through the API. */
export async function furnish(
  tenant: TestTenant,
  person: TestPerson,
  other: TestPerson,
  ids: { readonly prefix: string },
): Promise<Furnished> {
  const organizationId = await anOrganization(tenant);
  const location = await aDocument(tenant, { organizationId });
  const { documentId } = location;
  const both = [person, other];
  const { prefix } = ids;
  await tenant.ok('/v2/users/add', { organizationId, users: both });
  await tenant.ok('/v2/users/add', { organizationId, documentId, users: both });
  for (const { userId } of both) {
    await tenant.ok('/v2/auth/permissions/add', {
      user: { userId },
      permissions: { resources: [{ type: 'document', id: documentId, organizationId }] },
    });
  }
  const group = { organizationId, organizationUserGroupId: 'team' };
  await tenant.ok('/v2/organizations/usergroups/add', {
    organizationId,
    organizationUserGroups: [{ organizationUserGroupId: 'team', groupName: 'Team' }],
  });
  await tenant.ok('/v2/organizations/usergroups/users/add', {
    ...group,
    userIds: both.map(({ userId }) => userId),
  });
  await tenant.ok('/v2/notifications/config/set', {
    organizationId,
    documentIds: [documentId],
    userIds: both.map(({ userId }) => userId),
    config: { inbox: 'ALL' },
  });
  const activity = (id: string, actionUser: TestPerson, members: object = {}) => ({
    id: `${prefix}-${id}`,
    featureType: 'comment',
    actionType: 'comment.add',
    actionUser,
    ...members,
  });
  await addActivityLogs(tenant, location, [
    ...['comment', 'reaction', 'recorder', 'crdt'].map((featureType) =>
      activity(`own-${featureType}`, person, { featureType, entityData: { to: other } }),
    ),
    activity('own-custom', person, { featureType: 'custom', targetEntityId: 'x' }),
    activity('others', other, {
      entityData: {
        text: 'stays',
        assignedTo: person,
        tagged: [person, { by: other }, { nested: [{ deep: person, kept: 1 }] }],
        mentions: { [person.userId]: { at: 1 }, [other.userId]: { at: 2 } },
        notifyUsers: { [person.email]: true, [other.userId]: true },
      },
    }),
    activity('untouched', other, { entityData: { to: [other] } }),
  ]);
  const notification = (id: string, actionUser: TestPerson, members: object) => ({
    organizationId,
    documentId,
    notificationId: `${prefix}-${id}`.replaceAll(/[^\w-]/gu, '_'),
    actionUser,
    displayHeadlineMessageTemplate: 'wrote',
    displayBodyMessage: 'Hello.',
    ...members,
  });
  for (const sent of [
    notification('caused', person, { notifyUsers: both }),
    notification('received', other, { notifyUsers: both, metadata: { cc: [person, other] } }),
    notification('alone', other, { notifyUsers: [person] }),
    notification('kept', other, { notifyUsers: [other] }),
  ]) {
    await tenant.ok('/v2/notifications/add', sent);
  }
  for (const { userId, name } of both) {
    const execution = {
      agentId: 'agent',
      executionId: `${prefix}-run-of-${userId}`,
      ranBy: { userId, name },
    };
    await tenant.ok('/v2/agents/execution/add', { ...execution, organizationId, documentId });
    await tenant.ok('/v2/crdt/add', {
      organizationId,
      documentId,
      editorId: `editor-of-${userId === person.userId ? 'one' : 'two'}`,
      type: 'map',
      data: { text: 'kept' },
      lastUpdatedBy: userId,
    });
  }
  const recording = { annotationId: `${prefix}-others`, recordingType: 'audio' };
  await tenant.ok('/v2/recordings/add', {
    ...location,
    recordings: [
      { ...recording, annotationId: `${prefix}-own`, from: person, context: { to: other } },
      { ...recording, from: other, context: { kept: 1, to: person }, [person.userId]: true },
    ],
  });
  return { organizationId, documentId };
}
