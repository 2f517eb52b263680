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
    update:
      'Turns activity logs on or off. `immutable` rejects changes to and deletions of existing records.',
  },
  messages: configurationMessages('Activity logs'),
  emptyUpdateMessage: 'At least one field must be provided for update',
  update: z.strictObject({
    activityServiceConfig: z
      .strictObject({
        isEnabled: flag,
        immutable: flag,
        enabledTime: milliseconds.optional(),
        triggers: groupedTriggersInput,
      })
      .optional(),
  }),
  example: { activityServiceConfig: { isEnabled: true } },
  response: z.strictObject({
    activityServiceConfig: z.strictObject({
      isEnabled: z.boolean(),
      immutable: z.boolean(),
      enabledTime: z.int().nullable(),
      triggers: groupedTriggersResponse,
    }),
  }),
  toChange: ({ activityServiceConfig }) => ({ ...activityServiceConfig }),
  view: (config) => ({ activityServiceConfig: config }),
});
