import { z } from 'zod';
import { activityLogConfigurationKind } from '../../domain/configuration/kinds/activity-log.ts';
import { milliseconds } from '../schemas.ts';
import { configurationOperations, textsOf } from './configuration.ts';
import { flag, groupedTriggersResponse, groupedTriggersInput } from './members.ts';

export const activityLogConfiguration = configurationOperations({
  kind: activityLogConfigurationKind,
  path: 'activityconfig',
  summaries: {
    get: 'Reads whether activity logs are on, whether they may be changed, and their triggers.',
    update: 'Turns activity logs on or off; `immutable` refuses to change or delete what is logged.',
  },
  messages: textsOf('Activity logs'),
  nothing: 'At least one field must be provided for update',
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
