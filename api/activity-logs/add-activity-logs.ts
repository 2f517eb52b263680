import { z } from 'zod';
import { addActivityLogs as add } from '../../domain/activity-logs/add-activity-logs.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { groupedEndpoint } from '../http/grouped-endpoint.ts';
import { createFlag, idOf, records } from '../schemas.ts';
import { orderOfWriting } from '../cross-resource/with-ids.ts';
import { activityLogInput, toActivityLogInputs } from './activity-log.ts';

export const addActivityLogs = groupedEndpoint({
  paths: ['/v2/activities/add'],
  maxBodyMebibytes: 10,
  summary: 'Adds activity logs to a document, all or none.',
  description:
    'An existing id is overwritten. Writes all records in one transaction, each at most 256 KiB. Each new or ' +
    'changed record emits an event whose type is its `actionType`, while webhooks are on. A ' +
    'record equal to the stored one changes and emits nothing, so a repeat with the same ids is safe. ' +
    'Fails with `FAILED_PRECONDITION` while activity logs are off, while the data of a named user is ' +
    'being deleted, and for an overwrite with other content while activity logs are immutable. Unknown ' +
    'users are created without a name; one call names up to 1,000 different users. An unknown organization ' +
    `or document fails with \`NOT_FOUND\`, unless its create flag is true. ${orderOfWriting}`,
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document'),
    activities: records(activityLogInput, 'id').describe(
      'Records to add, max 1,000, each at most 256 KiB. If an id occurs twice, the last one counts.',
    ),
    createOrganization: createFlag('the organization'),
    createDocument: createFlag('the document'),
  }),
  response: dataResponse(
    z.strictObject({
      success: z.literal(true).describe('Always true.'),
      message: z.string().describe('The outcome in one sentence.'),
      activityIds: z.array(z.string()).describe('Ids of the records, in the order of the request.'),
    }),
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } }],
  },
  async handleTogether(calls, { em }) {
    const [{ tenant }] = calls;
    const writes = calls.map(({ data: { activities, ...location }, traceparent }) => ({
      location,
      activityLogs: toActivityLogInputs(activities),
      traceparent,
    }));
    await add(em, tenant, writes);
    const message = 'Activity(s) added successfully.';
    return writes.map(({ activityLogs }) => {
      const activityIds = activityLogs.map(({ id }) => id);
      return succeeded(message, { success: true as const, message, activityIds });
    });
  },
});
