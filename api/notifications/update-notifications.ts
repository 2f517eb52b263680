import { z } from 'zod';
import { lockDocument } from '../../domain/documents/resolve-document.ts';
import type { NotificationChange } from '../../domain/notifications/change-notification.ts';
import { updateNotifications as update } from '../../domain/notifications/update-notifications.ts';
import { verificationForUpdate } from '../../domain/notifications/verify-by-provider.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, outsideEndpoint } from '../http/endpoint.ts';
import { customerId, idOf, ids, records } from '../schemas.ts';
import { contents, notifyUsers, refuseLarge, toBody } from './notification.ts';
import { verifyOutside, type PendingVerification } from './verify.ts';

const change = z
  .strictObject({
    id: customerId,
    ...contents,
    notifyUsers: notifyUsers.optional(),
    readByUserIds: ids().optional(),
    persistReadForUsers: z.boolean().default(false),
  })
  .superRefine(refuseLarge);

export const updateNotifications = outsideEndpoint({
  paths: bothVersions('notifications/update'),
  credentials: 'apiKey',
  summary:
    'Updates members and recipients of notifications and marks them as read. New texts make them unread unless persistReadForUsers is true.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    notifications: records(change, 'id'),
    documentId: idOf('the document').optional(),
    locationId: customerId.optional(),
    userId: idOf('the user').optional(),
    verifyUserPermissions: z.boolean().default(false),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    notifications: [{ id: 'n1', displayBodyMessage: 'It is.', readByUserIds: ['u1'] }],
  },
  outside: {
    ...verifyOutside,
    async prepare({ data, tenant }, { em, permissionProvider: provider }): Promise<PendingVerification> {
      const { organizationId } = data;
      const organization = { ...(await lockOrganization(em, tenant, organizationId)), organizationId };
      const changes = data.notifications.filter((one) => one.notifyUsers !== undefined);
      return {
        provider,
        tenant,
        verification: await verificationForUpdate(em, tenant, organization, changes),
      };
    },
  },
  async handle({ data, tenant, outcome }, { em, startJob }) {
    const { organizationId, documentId, locationId, userId, verifyUserPermissions } = data;
    const { id } = await lockOrganization(em, tenant, organizationId);
    const document =
      documentId === undefined ? undefined : await lockDocument(em, tenant.id, { id }, documentId);
    // An unknown user has no notifications: no row has the key 0.
    const user = userId === undefined ? undefined : ((await findUser(em, tenant, userId))?.id ?? '0');
    const { outcomes, job } = await update(
      em,
      tenant,
      {
        organizationId,
        organization: id,
        document: document?.id,
        location: locationId,
        user,
        verifyUserPermissions,
        byProvider: outcome,
      },
      data.notifications.map(changeOf),
    );
    if (job !== undefined) startJob(job);
    return {
      message: 'Notification(s) updated successfully.',
      items: outcomes,
      ...(job && { extras: { jobId: job.jobId } }),
    };
  },
});

function changeOf(sent: z.output<typeof change>): NotificationChange {
  const { id, notifyUsers: recipients, readByUserIds = [], persistReadForUsers, ...members } = sent;
  return {
    id,
    members: toBody(members) as NotificationChange['members'],
    notifyUsers: recipients,
    readByUserIds,
    persistReadForUsers,
  };
}
