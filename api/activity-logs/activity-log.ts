import { z } from 'zod';
import {
  featureTypes,
  maxActivityLogBytes,
  type ActivityLogInput,
} from '../../domain/activity-logs/activity-log.ts';
import type { ActivityLogRow } from '../../domain/activity-logs/read-activity-logs.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import { requiredFor } from '../rules.ts';
import { anything, atMostKibibytes, customerId, milliseconds, name, openObject, text } from '../schemas.ts';
import { withIds } from '../cross-resource/with-ids.ts';

/** A user embedded in a record, stored as sent; unknown members are kept. */
export const embeddedUser = z
  .looseObject({
    userId: customerId.describe('Id of the user.'),
    name: name.optional().describe('Name of the user, max 1,000 characters. Stored in the record.'),
    email: text(254)
      .optional()
      .describe('E-mail address of the user, max 254 characters. Stored in the record.'),
    photoUrl: text(2_048)
      .optional()
      .describe('URL of a picture of the user, max 2,048 characters. Stored in the record.'),
  })
  .meta({ id: 'EmbeddedUser' });

const actionType = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/, {
  error: '<m> must be 1 to 100 of the characters A-Z a-z 0-9 _ . : -.',
});

export const activityLogInput = z
  .strictObject({
    id: customerId
      .optional()
      .describe(
        'Id of the record, 1 to 1,000 bytes. Absent: generated. An existing record with this id is ' +
          'overwritten.',
      ),
    featureType: z.enum(featureTypes).describe('Feature that the action belongs to.'),
    actionType: actionType.describe(
      'Action, such as `comment.add`: 1 to 100 of `A-Z a-z 0-9 _ . : -`. Also the type of the event that is ' +
        'emitted.',
    ),
    actionUser: embeddedUser.describe('User who acted. Unknown fields are stored.'),
    targetEntityId: customerId
      .optional()
      .describe('Id of the target, max 1,000 bytes. Required when `featureType` is `custom`.'),
    targetSubEntityId: text(1_000).optional().describe('Id of a part of the target, max 1,000 characters.'),
    changes: openObject.optional().describe('Map from the name of a changed field to `from` and `to`.'),
    entityData: anything.optional().describe('Snapshot of the entity when the user acted; any JSON.'),
    entityTargetData: anything.optional().describe('Snapshot of the target when the user acted; any JSON.'),
    displayMessageTemplate: text(10_000)
      .optional()
      .describe('Text to show, max 10,000 characters, with variables such as `{{actionUser}}`.'),
    displayMessageTemplateData: openObject.optional().describe('Values of the template variables.'),
    actionIcon: text(2_048).optional().describe('URL or name of an icon, max 2,048 characters.'),
    isActivityResolverUsed: z
      .boolean()
      .optional()
      .describe('True when your own resolver stores personal data and the record only has ids.'),
    timestamp: milliseconds
      .optional()
      .describe(
        'When the user acted, in milliseconds since the epoch. Absent: now for a new record, kept on an ' +
          'overwrite.',
      ),
    metadata: anything.optional().describe('Ignored: Steward computes it.'),
  })
  .check(requiredFor('targetEntityId', 'featureType', 'custom', 'Target entity ID is required'))
  .superRefine(atMostKibibytes(maxActivityLogBytes / 1_024));

/** The stored body omits `id` and `timestamp`, which have columns, and `metadata`, which each read generates. */
const toActivityLogInput = (sent: z.output<typeof activityLogInput>, id: string): ActivityLogInput => ({
  id,
  idSent: sent.id !== undefined,
  timestamp: sent.timestamp,
  body: sent,
});

export const toActivityLogInputs = (sent: readonly z.output<typeof activityLogInput>[]): ActivityLogInput[] =>
  withIds('act', sent, ({ id }) => id, toActivityLogInput);

export const activityLogResponse = z
  .looseObject({
    id: z.string().describe('Id of the record.'),
    featureType: z.enum(featureTypes).describe('Feature that the action belongs to.'),
    actionType: z.string().describe('Action, such as `comment.add`.'),
    actionUser: z
      .looseObject({ userId: z.string().describe('Id of the user.') })
      .describe('User who acted, as sent.'),
    timestamp: z.int().describe('When the user acted, in milliseconds since the epoch.'),
    metadata: z
      .strictObject({
        apiKey: z.string().describe('API key of the record.'),
        organizationId: z.string().describe('Id of the organization.'),
        documentId: z.string().describe('Current id of the document.'),
      })
      .describe('Location of the record.'),
  })
  .meta({ id: 'ActivityLog' });

/** Maps a row of an activity log to its response. */
export function activityLogView(tenant: CallingTenant, organizationId: string) {
  return ({ ext_id, ts, body, document_ext_id }: ActivityLogRow) => ({
    id: ext_id,
    ...body,
    timestamp: Number(ts),
    metadata: { apiKey: tenant.apiKey, organizationId, documentId: document_ext_id },
  });
}
