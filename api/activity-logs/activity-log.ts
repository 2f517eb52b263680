import { z } from 'zod';
import type { ActivityLogInput } from '../../domain/activity-logs/activity-log.ts';
import { featureTypes } from '../../domain/activity-logs/activity-log.ts';
import type { ActivityLogRow } from '../../domain/activity-logs/read-activity-logs.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { isLargerThan } from '../json-size.ts';
import { either, has, never, present, rule } from '../rules.ts';
import { anything, customerId, idOf, milliseconds, name, openObject, text } from '../schemas.ts';

/** A user embedded in a record, stored as sent; unknown members are kept. */
export const embeddedUser = z.looseObject({
  userId: idOf('the user'),
  name: name.optional(),
  email: text(254).optional(),
  photoUrl: text(2_048).optional(),
});

/** Max size of a record's JSON. */
const maxBytes = 262_144;

const actionType = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/, {
  error: '<m> must be 1 to 100 of the characters A-Z a-z 0-9 _ . : -.',
});

export const activityLogInput = z
  .strictObject({
    id: customerId.optional(),
    featureType: z.enum(featureTypes),
    actionType,
    actionUser: embeddedUser,
    targetEntityId: customerId.optional(),
    targetSubEntityId: text(1_000).optional(),
    changes: openObject.optional(),
    entityData: anything.optional(),
    entityTargetData: anything.optional(),
    displayMessageTemplate: text(10_000).optional(),
    displayMessageTemplateData: openObject.optional(),
    actionIcon: text(2_048).optional(),
    isActivityResolverUsed: z.boolean().optional(),
    timestamp: milliseconds.optional(),
    metadata: anything.optional(),
  })
  .check(
    rule(
      'targetEntityId is required for the featureType custom.',
      either(never(has('featureType', { const: 'custom' })), present('targetEntityId')),
      (record, context) => {
        if (record.featureType !== 'custom' || record.targetEntityId !== undefined) return;
        context.addIssue({
          code: 'custom',
          path: ['targetEntityId'],
          message: 'Target entity ID is required',
        });
      },
    ),
  )
  .superRefine((record, context) => {
    if (isLargerThan(maxBytes, record)) {
      context.addIssue({ code: 'custom', message: '<m> must be at most 256 KiB.' });
    }
  });

/** The stored body omits `id` and `timestamp`, which have columns, and `metadata`, which each read generates. */
export function toActivityLogInput(sent: z.output<typeof activityLogInput>): ActivityLogInput {
  const { id, timestamp } = sent;
  return { id: id ?? timedToken('act'), idSent: id !== undefined, timestamp, body: sent };
}

export const activityLogResponse = z.looseObject({
  id: z.string(),
  featureType: z.enum(featureTypes),
  actionType: z.string(),
  actionUser: z.looseObject({ userId: z.string() }),
  timestamp: z.int(),
  metadata: z.strictObject({ apiKey: z.string(), organizationId: z.string(), documentId: z.string() }),
});

/** Maps a row of an activity log to its response. */
export function activityLogView(tenant: Tenant, organizationId: string) {
  return ({ ext_id, ts, body, document_ext_id }: ActivityLogRow) => ({
    id: ext_id,
    ...body,
    timestamp: Number(ts),
    metadata: { apiKey: tenant.apiKey, organizationId, documentId: document_ext_id },
  });
}
