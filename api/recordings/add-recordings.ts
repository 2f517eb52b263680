import { z } from 'zod';
import { verificationForAdd } from '../../domain/notifications/verify-by-provider.ts';
import { addRecordings as add, preparedWithinLimits } from '../../domain/recordings/add-recordings.ts';
import { batchResponse } from '../http/response/batch.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { verifyOutside, type PendingVerification } from '../notifications/verify.ts';
import { customerId, records } from '../schemas.ts';
import { orderOfWriting } from '../cross-resource/with-ids.ts';
import { recordingInput, toRecordingInputs } from './recording.ts';

export const addRecordings = outsideEndpoint({
  paths: ['/v2/recordings/add'],
  credentials: 'apiKey',
  maxBodyMebibytes: 10,
  summary: 'Adds recordings to a document. An existing id is overwritten.',
  description:
    'Each recording succeeds or fails individually. An overwrite keeps the time of creation unless ' +
    'another is sent. A recording equal to the stored one changes and emits nothing, so a call with your ' +
    'own ids can be repeated. With `triggerActivities`, each change emits `recorder.done` and writes an ' +
    'activity log of featureType `recorder` while activity logs are on, unless their trigger ' +
    `\`recorder.done\` is false. ${orderOfWriting}`,
  data: z.strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    documentId: customerId.describe('Id of the document.'),
    recordings: records(recordingInput, 'annotationId').describe(
      'Recordings to add, 1 to 1,000. If an id occurs twice, the last one counts.',
    ),
    verifyUserPermissions: z
      .boolean()
      .default(false)
      .describe('True fails each recording whose author has no access to the document.'),
    triggerActivities: z
      .boolean()
      .default(false)
      .describe('True emits `recorder.done` and writes an activity log for each recording that changes.'),
    createOrganization: z.boolean().default(false).describe('True creates a missing organization.'),
    createDocument: z.boolean().default(false).describe('True creates a missing document.'),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    recordings: [
      {
        annotationId: 'r1',
        from: { userId: 'u1', name: 'Ada', email: 'ada@example.com' },
        recordingType: 'screen',
        displayName: 'Walk through the plan',
        recordedTime: { duration: 90_000, display: '01:30' },
        attachments: [{ attachmentId: 1, url: 'https://files.example.com/r1.mp4', mimeType: 'video/mp4' }],
      },
    ],
  },
  outside: {
    ...verifyOutside,
    async prepare(
      { data: sent, tenant },
      { em, permissionProvider: provider },
    ): Promise<PendingVerification> {
      await preparedWithinLimits(toRecordingInputs(sent.recordings));
      const authors = sent.recordings.map(({ from }) => from);
      return { provider, tenant, verification: await verificationForAdd(em, tenant, sent, authors) };
    },
  },
  async handle({ data, tenant, outcome }, { em }) {
    const request = { ...data, recordings: toRecordingInputs(data.recordings), byProvider: outcome };
    return {
      message: 'Recording(s) added successfully.',
      items: await add(em, tenant, request),
    };
  },
});
