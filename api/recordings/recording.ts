import { z } from 'zod';
import type { RecordingRow } from '../../domain/recordings/read-recordings.ts';
import { recordingModes, recordingTypes, type RecordingInput } from '../../domain/recordings/recording.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { recordTime } from '../comments/shared-shapes.ts';
import { atMostKibibytes, customerId, integer, items, name, openObject, text } from '../schemas.ts';
import { withIds } from '../cross-resource/with-ids.ts';

const attachment = z
  .looseObject({
    attachmentId: z.int().optional().describe('Your id for the file within the recording.'),
    name: name.optional().describe('File name, max 1,000 characters.'),
    bucketPath: text(2_048).optional().describe('Path in your storage.'),
    size: integer(0, Number.MAX_SAFE_INTEGER).optional().describe('Size in bytes.'),
    type: text(100).optional().describe('Kind of file, such as `video`.'),
    mimeType: text(255).optional().describe('Media type, such as `video/mp4`.'),
    url: text(2_048).optional().describe('URL of the file.'),
    thumbnail: text(100_000).optional().describe('URL or data URL of a preview, max 100,000 characters.'),
    metadata: openObject.optional().describe('Free metadata.'),
  })
  .describe('Reference to a file that you store.');

export const recordingInput = z
  .looseObject({
    annotationId: customerId
      .optional()
      .describe('Id of the recording, unique within the document. Absent: generated, `rec_…`.'),
    from: embeddedUser.describe('Author of the recording, stored as sent.'),
    recordingType: z.enum(recordingTypes).describe('Kind of the recording.'),
    mode: z
      .enum(recordingModes)
      .default('floating')
      .describe('Where your client shows the recording. Stored for your client.'),
    displayName: name.optional().describe('Title, max 1,000 characters.'),
    recordedTime: z
      .looseObject({
        duration: z.number().min(0).optional().describe('Duration in milliseconds.'),
        display: text(100).optional().describe('Duration as text, such as `01:30`.'),
      })
      .optional()
      .describe('Duration of the recording.'),
    attachments: items(attachment, 50).optional().describe('References to the recorded files, 1 to 50.'),
    transcription: openObject.optional().describe('Transcript, in your own format.'),
    latestVersion: integer(1, Number.MAX_SAFE_INTEGER)
      .default(1)
      .describe('Number of the latest version of the recording.'),
    location: openObject.optional().describe('Location within the document, in your own format.'),
    pageInfo: openObject.optional().describe('Page on which the recording was made.'),
    context: openObject.optional().describe('Free metadata.'),
    createdAt: recordTime
      .optional()
      .describe('Milliseconds since the epoch, at most one day ahead. Absent: now, or the stored time.'),
    lastUpdated: recordTime
      .optional()
      .describe(
        'Milliseconds since the epoch, at most one day ahead. Absent: now. Never earlier than `createdAt`.',
      ),
  })
  .superRefine(atMostKibibytes(256))
  .meta({
    id: 'RecordingInput',
    description: 'A recording to add. Members beyond these are stored as sent.',
  });

/** The stored body omits what has columns, and `type` and `metadata`, which each read generates. */
function toRecordingInput(sent: z.output<typeof recordingInput>, id: string): RecordingInput {
  const { annotationId, createdAt, lastUpdated, type: _type, metadata: _metadata, ...body } = sent;
  return {
    id,
    idSent: annotationId !== undefined,
    createdAt,
    lastUpdated,
    body,
  };
}

export const toRecordingInputs = (sent: readonly z.output<typeof recordingInput>[]): RecordingInput[] =>
  withIds('rec', sent, ({ annotationId }) => annotationId, toRecordingInput);

export const recordingResponse = z
  .looseObject({
    annotationId: z.string().describe('Id of the recording within its document.'),
    type: z.literal('recorder').describe('Always `recorder`.'),
    from: z
      .looseObject({ userId: z.string().describe('Id of the author.') })
      .describe('Author of the recording, as sent.'),
    recordingType: z.enum(recordingTypes).describe('Kind of the recording.'),
    mode: z.enum(recordingModes).describe('Where your client shows the recording. Stored for your client.'),
    latestVersion: z.int().describe('Number of the latest version of the recording.'),
    createdAt: z.int().describe('Milliseconds since the epoch.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
    metadata: z
      .strictObject({
        apiKey: z.string().describe('API key of the recording.'),
        organizationId: z.string().describe('Id of the organization.'),
        documentId: z.string().describe('Current id of the document.'),
      })
      .describe('Location of the recording.'),
  })
  .meta({ id: 'Recording', description: 'A recording, with every field that was sent.' });

/** Maps a row of a recording to its response. */
export function recordingView({ apiKey }: CallingTenant, organizationId: string) {
  return ({ ext_id, created_at, updated_at, body, document_ext_id }: RecordingRow) => ({
    ...(body as typeof body &
      Pick<z.output<typeof recordingInput>, 'recordingType' | 'mode' | 'latestVersion'>),
    type: 'recorder' as const,
    annotationId: ext_id,
    createdAt: Number(created_at),
    lastUpdated: Number(updated_at),
    metadata: { apiKey, organizationId, documentId: document_ext_id },
  });
}
