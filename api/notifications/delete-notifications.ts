import { z } from 'zod';
import { deleteNotifications as remove } from '../../domain/notifications/delete-notifications.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { atLeastOne, anyOf, not, sends, rule } from '../rules.ts';
import { customerId, idOf, ids } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';

const locationHasOwner = anyOf(not(sends('locationId')), sends('documentId'), sends('userId'));

export const deleteNotifications = endpoint({
  paths: bothVersions('notifications/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Deletes notifications that match every given condition.',
  description:
    'Deletes up to 1,000 notifications in the call and lists each in `data`; `result.deletedCount` ' +
    'contains their number. `result.jobId` is the job that deletes the others and those that together have ' +
    'more than 10,000 named users; they stay listed until the job reaches them. A notification without ' +
    'remaining recipients is deleted. An id that does not exist or does not match fails with ' +
    '`not-found`, without affecting the others. An unknown organization or document fails the call with ' +
    '`NOT_FOUND`; an unknown user matches nothing. Emits no event.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentId: customerId.optional().describe('Only notifications of this document.'),
      locationId: customerId
        .optional()
        .describe('Only notifications of this location, max 1,000 bytes. Requires `documentId` or `userId`.'),
      userId: customerId.optional().describe('Removes the notifications from this recipient only.'),
      notificationIds: ids().optional().describe('Only these notifications, max 1,000.'),
    })
    .check(
      atLeastOne(
        ['documentId', 'locationId', 'userId', 'notificationIds'],
        'At least one of documentId, locationId, userId or notificationIds must be provided.',
      ),
    )
    .check(
      rule(
        'locationId needs documentId or userId.',
        locationHasOwner,
        [],
        ({ documentId, locationId, userId }, context) => {
          if (locationId === undefined || documentId !== undefined || userId !== undefined) return;
          context.addIssue({
            code: 'custom',
            path: ['locationId'],
            message: '<m> needs documentId or userId.',
          });
        },
      ),
    ),
  response: batchResponse({}, ['deletedCount', 'jobId']),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', userId: 'u1' },
  async handle({ data, tenant }, work) {
    const { outcomes, deletedCount, job } = await remove(work.em, tenant, data);
    return {
      message: 'Notification(s) deleted successfully.',
      items: outcomes,
      extras: { deletedCount, ...startReportedJob(work, job) },
    };
  },
});
