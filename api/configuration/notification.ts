import { z } from 'zod';
import { notificationKind, notificationRanges } from '../../domain/configuration/kinds/notification.ts';
import { integer } from '../schemas.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, triggersResponse, triggersInput } from './members.ts';

const { delaySeconds, batchWindowSeconds, maxActivities } = notificationRanges;

const batchInput = z
  .strictObject({
    isEnabled: flag,
    batchWindowSeconds: integer(...batchWindowSeconds).optional(),
    maxActivities: integer(...maxActivities).optional(),
  })
  .optional();

const batchResponse = z.strictObject({
  isEnabled: z.boolean(),
  batchWindowSeconds: z.int(),
  maxActivities: z.int(),
});

export const notificationConfiguration = configurationOperations({
  kind: notificationKind,
  path: 'notificationconfig',
  summaries: {
    get: 'Returns whether notifications are on, and their triggers, delay and batches.',
    update: 'Turns notifications on or off and changes their triggers, delay and batches.',
  },
  messages: configurationMessages('Notification'),
  emptyUpdateMessage: 'At least one of useNotificationService or notificationServiceConfig must be provided',
  update: z.strictObject({
    useNotificationService: flag,
    notificationServiceConfig: z
      .strictObject({
        triggers: z.strictObject({ comment: triggersInput, huddle: triggersInput }).optional(),
        delayConfig: z
          .strictObject({ isEnabled: flag, delaySeconds: integer(...delaySeconds).optional() })
          .optional(),
        batchConfig: z.strictObject({ document: batchInput, user: batchInput }).optional(),
      })
      .optional(),
  }),
  example: {
    useNotificationService: true,
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 60 } },
  },
  response: z.strictObject({
    useNotificationService: z.boolean(),
    notificationServiceConfig: z.strictObject({
      triggers: z.strictObject({ comment: triggersResponse, huddle: triggersResponse }),
      delayConfig: z.strictObject({ isEnabled: z.boolean(), delaySeconds: z.int() }),
      batchConfig: z.strictObject({ document: batchResponse, user: batchResponse }),
    }),
  }),
  toChange: (sent) => sent,
  view: (config) => config,
});
