import { z } from 'zod';
import { activityLogConfigurationKind } from '../../domain/configuration/kinds/activity-log.ts';
import { milliseconds } from '../schemas.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, groupedTriggersResponse, groupedTriggersInput } from './members.ts';

export const activityLogConfiguration = configurationOperations({
  kind: activityLogConfigurationKind,
  path: 'activityconfig',
  summaries: {
    get: 'Returns the activity log settings: enabled, immutable, triggers.',
    update: 'Turns activity logs on or off, and makes their records immutable or not.',
  },
  descriptions: {
    get:
      'Returns every field, with defaults before the first update. `/v2/activities/add` works only while ' +
      'activity logs are on.',
    update:
      'Fields that are not sent keep their value. The first update that turns activity logs on also sets ' +
      'the usual triggers. An update without a known field fails with `INVALID_ARGUMENT`. Applies to the ' +
      'next request in every process. Emits no event; the audit log records the call.',
  },
  messages: configurationMessages('Activity logs'),
  emptyUpdateMessage: 'At least one field must be provided for update',
  update: z.strictObject({
    activityServiceConfig: z
      .strictObject({
        isEnabled: flag.describe('True turns activity logs on.'),
        immutable: flag.describe('True rejects updates, deletions and overwrites of existing records.'),
        enabledTime: milliseconds
          .optional()
          .describe(
            'When activity logs were turned on, in milliseconds since the epoch. Absent: the first time they are ' +
              'turned on.',
          ),
        triggers: groupedTriggersInput,
      })
      .optional()
      .describe('Settings of activity logs.'),
  }),
  example: { activityServiceConfig: { isEnabled: true } },
  response: z
    .strictObject({
      activityServiceConfig: z
        .strictObject({
          isEnabled: z.boolean().describe('Whether activity logs are on.'),
          immutable: z
            .boolean()
            .describe('Whether existing records reject updates, deletions and overwrites.'),
          enabledTime: z
            .int()
            .nullable()
            .describe(
              'When activity logs were turned on, in milliseconds since the epoch. Null before that.',
            ),
          triggers: groupedTriggersResponse.describe(
            'Event types, each on or off. Those of comments and recordings decide whether their activity logs are written.',
          ),
        })
        .describe('Settings of activity logs.'),
    })
    .meta({ id: 'ActivityLogConfiguration' }),
  toChange: ({ activityServiceConfig }) => ({ ...activityServiceConfig }),
  view: (config) => ({ activityServiceConfig: config }),
});
