import { z } from 'zod';
import type { NotificationChange } from '../../domain/notifications/change-notification.ts';
import {
  updateNotifications as update,
  usersOfChanges,
} from '../../domain/notifications/update-notifications.ts';
import { verificationForUpdate } from '../../domain/notifications/verify-by-provider.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { refusingFencedFirst } from '../../domain/users/refusing-fenced-first.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions } from '../http/endpoint.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { customerId, idOf, ids, records } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { contents, notifyUsers, refuseLarge, toBody } from './notification.ts';
import { verifyOutside, type PendingVerification } from './verify.ts';

const change = z
  .strictObject({
    id: customerId.describe('Id of the notification, max 1,000 bytes.'),
    ...contents,
    notifyUsers: notifyUsers
      .optional()
      .describe('New recipients, max 1,000, which replace the current ones.'),
    readByUserIds: ids().optional().describe('Ids of the users that have read the notification, max 1,000.'),
    persistReadForUsers: z
      .boolean()
      .default(false)
      .describe('True keeps earlier read marks when texts change.'),
  })
  .superRefine(refuseLarge);

export const updateNotifications = outsideEndpoint({
  paths: bothVersions('notifications/update'),
  credentials: 'apiKey',
  summary: 'Updates notifications, replaces their recipients and marks them as read.',
  description:
    'New texts make a notification unread unless `persistReadForUsers` is true. Fields that are not sent ' +
    'keep their value. An unknown notification fails with `not-found`, and one that would exceed 256 KiB ' +
    'with `invalid-argument`. A call moves notifications with up to 10,000 recipients in total to another ' +
    'location; one beyond that fails with `failed-precondition` and is not changed, unless its recipients ' +
    'are replaced, too. The others are updated. A call names up to 1,000 different users. An unknown ' +
    'organization or document fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the ' +
    'data of a named user is being deleted. Emits no event. When recipients are replaced, a job may delete ' +
    'the former ones: `result.jobId`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    notifications: records(change, 'id').describe(
      'Changes to notifications, max 1,000. If an id occurs twice, the last one counts.',
    ),
    documentId: customerId
      .optional()
      .describe('Only notifications of this document; others fail with `not-found`.'),
    locationId: customerId
      .optional()
      .describe('Only notifications of this location, max 1,000 bytes; others fail with `not-found`.'),
    userId: customerId
      .optional()
      .describe('Only notifications that this user received; others fail with `not-found`.'),
    verifyUserPermissions: z
      .boolean()
      .default(false)
      .describe('True drops new recipients without access to the document.'),
  }),
  response: batchResponse({}, ['jobId']),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    notifications: [{ id: 'n1', displayBodyMessage: 'It is.', readByUserIds: ['u1'] }],
  },
  outside: {
    ...verifyOutside,
    async prepare({ data, tenant }, { em, permissionProvider: provider }): Promise<PendingVerification> {
      const { organizationId } = data;
      // Before the organization is looked up: a request that names too many users is refused first.
      const userIds = usersOfChanges(data.notifications.map(changeOf));
      const { id } = await refusingFencedFirst(em, tenant, { organizationId, userIds }, async () =>
        lockOrganization(em, tenant, organizationId),
      );
      const organization = { id, organizationId };
      const changes = data.notifications.filter((one) => one.notifyUsers !== undefined);
      return {
        provider,
        tenant,
        verification: await verificationForUpdate(em, tenant, organization, changes),
      };
    },
  },
  async handle({ data, tenant, outcome }, work) {
    const { notifications, ...request } = data;
    const scope = { ...request, byProvider: outcome };
    const { outcomes, job } = await update(work.em, tenant, scope, notifications.map(changeOf));
    return {
      message: 'Notification(s) updated successfully.',
      items: outcomes,
      extras: startReportedJob(work, job),
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
