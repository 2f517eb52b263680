import { z } from 'zod';
import type { RecordingRow } from '../../domain/recordings/read-recordings.ts';
import { recordingModes, recordingTypes, type RecordingInput } from '../../domain/recordings/recording.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { atMostKibibytes, recordTime } from '../comments/shared-shapes.ts';
import { customerId, items, name, openObject, text } from '../schemas.ts';

const attachment = z
  .looseObject({
    attachmentId: z.int().optional().describe('An id of yours within the recording.'),
    name: name.optional().describe('File name, up to 1,000 characters.'),
    bucketPath: text(2_048).optional().describe('Path in your storage.'),
    size: z.int().min(0).optional().describe('Size in bytes.'),
    type: text(100).optional().describe('Kind of file, such as `video`.'),
    mimeType: text(255).optional().describe('Media type, such as `video/mp4`.'),
    url: text(2_048).optional().describe('URL of the file.'),
    thumbnail: text(100_000).optional().describe('URL or data URL of a preview, up to 100,000 characters.'),
    metadata: openObject.optional().describe('Members of your own.'),
  })
  .describe('A reference to a file that you store.');

export const recordingInput = z
  .looseObject({
    annotationId: customerId
      .optional()
      .describe('Id of the recording, unique within the document. Generated as `rec_…` when absent.'),
    from: embeddedUser.describe('The author, stored as sent.'),
    recordingType: z.enum(recordingTypes).describe('What was recorded.'),
    mode: z.enum(recordingModes).default('floating').describe('Where your client shows the recording.'),
    displayName: name.optional().describe('Title, up to 1,000 characters.'),
    recordedTime: z
      .looseObject({
        duration: z.number().min(0).optional().describe('Duration in milliseconds.'),
        display: text(100).optional().describe('The duration as text, such as `01:30`.'),
      })
      .optional()
      .describe('How long the recording is.'),
    attachments: items(attachment, 50).optional().describe('1 to 50 references to the recorded files.'),
    transcription: openObject.optional().describe('The spoken text, in a form of yours.'),
    latestVersion: z.int().min(1).default(1).describe('Number of the latest version of the recording.'),
    location: openObject.optional().describe('Location within the document, in a form of yours.'),
    pageInfo: openObject.optional().describe('The page on which the recording was made.'),
    context: openObject.optional().describe('Members of your own.'),
    createdAt: recordTime
      .optional()
      .describe(
        'Milliseconds since the epoch, at most one day ahead. Defaults to now, or to the stored time.',
      ),
    lastUpdated: recordTime
      .optional()
      .describe(
        'Milliseconds since the epoch, at most one day ahead. Defaults to now; raised to `createdAt`.',
      ),
  })
  .superRefine(atMostKibibytes(256))
  .meta({
    id: 'RecordingInput',
    description: 'A recording to add. Members beyond these are stored as sent.',
  });

/** The stored body omits what has columns, and `type` and `metadata`, which each read generates. */
export function toRecordingInput(sent: z.output<typeof recordingInput>): RecordingInput {
  const { annotationId, createdAt, lastUpdated, type: _type, metadata: _metadata, ...body } = sent;
  return {
    id: annotationId ?? timedToken('rec'),
    idSent: annotationId !== undefined,
    createdAt,
    lastUpdated,
    body,
  };
}

export const recordingResponse = z
  .looseObject({
    annotationId: z.string().describe('Id of the recording within its document.'),
    type: z.literal('recorder').describe('Always `recorder`.'),
    from: z
      .looseObject({ userId: z.string().describe('Id of the author.') })
      .describe('The author, as sent.'),
    recordingType: z.enum(recordingTypes).describe('What was recorded.'),
    mode: z.enum(recordingModes).describe('Where your client shows the recording.'),
    latestVersion: z.int().describe('Number of the latest version of the recording.'),
    createdAt: z.int().describe('Milliseconds since the epoch.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
    metadata: z
      .strictObject({
        apiKey: z.string().describe('The API key of the call.'),
        organizationId: z.string().describe('Id of the organization.'),
        documentId: z.string().describe('Present id of the document.'),
      })
      .describe('Where the recording is.'),
  })
  .meta({ id: 'Recording', description: 'A recording, with every member that was sent.' });

/** Maps a row of a recording to its response. */
export function recordingView({ apiKey }: Tenant, organizationId: string) {
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
