import { z } from 'zod';
import { notificationKind, notificationRanges } from '../../domain/configuration/kinds/notification.ts';
import { integer } from '../schemas.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, triggersResponse, triggersInput } from './members.ts';

const { delaySeconds, batchWindowSeconds, maxActivities } = notificationRanges;

const batchInput = z
  .strictObject({
    isEnabled: flag.describe('True collects notifications by e-mail and Slack into digests.'),
    batchWindowSeconds: integer(...batchWindowSeconds)
      .optional()
      .describe('Length of a batch, in seconds.'),
    maxActivities: integer(...maxActivities)
      .optional()
      .describe('Notifications that end a batch early.'),
  })
  .optional();

const batchResponse = z.strictObject({
  isEnabled: z.boolean().describe('Whether notifications are collected into batches.'),
  batchWindowSeconds: z.int().describe('Length of a batch, in seconds.'),
  maxActivities: z.int().describe('Notifications that end a batch early.'),
});

export const notificationConfiguration = configurationOperations({
  kind: notificationKind,
  path: 'notificationconfig',
  summaries: {
    get: 'Returns whether notifications are on, and their triggers, delay and batches.',
    update: 'Turns notifications on or off and changes their triggers, delay and batches.',
  },
  descriptions: {
    get: 'Returns every field, with defaults before the first update.',
    update:
      'Fields that are not sent keep their value. The first update that turns notifications on also sets ' +
      'the usual triggers. Preferences of users require notifications to be on; adding notifications does ' +
      'not. An update without a known field, or a value out of range, fails with `INVALID_ARGUMENT`. Emits ' +
      'no event; the audit log records the call.',
  },
  messages: configurationMessages('Notification'),
  emptyUpdateMessage: 'At least one of useNotificationService or notificationServiceConfig must be provided',
  update: z.strictObject({
    useNotificationService: flag.describe('True turns notifications on.'),
    notificationServiceConfig: z
      .strictObject({
        triggers: z
          .strictObject({
            comment: triggersInput.describe('Event types of comments.'),
            huddle: triggersInput.describe('Event types of huddles.'),
          })
          .optional()
          .describe('Event types of comments that notify.'),
        delayConfig: z
          .strictObject({
            isEnabled: flag.describe(
              'True delays notifications by e-mail and Slack, so that those seen meanwhile are not sent.',
            ),
            delaySeconds: integer(...delaySeconds)
              .optional()
              .describe('Delay before a notification is sent, in seconds.'),
          })
          .optional()
          .describe('Delay before a notification is sent. Fields that are not sent keep their value.'),
        batchConfig: z
          .strictObject({
            document: batchInput.describe('Batches by document.'),
            user: batchInput.describe('Batches by user.'),
          })
          .optional()
          .describe('Batches of notifications. Fields that are not sent keep their value.'),
      })
      .optional()
      .describe('Settings of notifications. Fields that are not sent keep their value.'),
  }),
  example: {
    useNotificationService: true,
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 60 } },
  },
  response: z
    .strictObject({
      useNotificationService: z.boolean().describe('Whether notifications are on.'),
      notificationServiceConfig: z
        .strictObject({
          triggers: z
            .strictObject({
              comment: triggersResponse.describe('Event types of comments, each on or off.'),
              huddle: triggersResponse.describe('Event types of huddles, each on or off.'),
            })
            .describe('Event types that notify.'),
          delayConfig: z
            .strictObject({
              isEnabled: z.boolean().describe('Whether notifications are delayed.'),
              delaySeconds: z.int().describe('Delay before a notification is sent, in seconds.'),
            })
            .describe('Delay before a notification is sent.'),
          batchConfig: z
            .strictObject({
              document: batchResponse.describe('Batches by document.'),
              user: batchResponse.describe('Batches by user.'),
            })
            .describe('Batches of notifications.'),
        })
        .describe('Settings of notifications.'),
    })
    .meta({ id: 'NotificationConfiguration' }),
  toChange: (sent) => sent,
  view: (config) => config,
});
