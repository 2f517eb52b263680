import { z } from 'zod';
import {
  explainNotification as explain,
  type ChannelExplanation,
} from '../../domain/deliveries/explain/explain-notification.ts';
import { namesOf } from '../../domain/names-of.ts';
import { planningRules } from '../../domain/notices/rules/planning-rules.ts';
import { sendingRules } from '../../domain/notices/rules/sending-rules.ts';
import { deliveryStatuses, heldReasons, reasonNumbers } from '../../domain/notices/statuses.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { customerId, idOf, milliseconds } from '../schemas.ts';

const ruleNames = [...new Set([...planningRules, ...sendingRules].map(({ name }) => name))];

const channelExplanation = z
  .strictObject({
    outcome: z
      .enum(['not-planned', 'waiting', 'batching', ...deliveryStatuses])
      .describe(
        '`not-planned`: no message was planned. `waiting`: for the delay. `batching`: for a window. Otherwise the status of the last delivery.',
      ),
    reason: z
      .enum([...namesOf(reasonNumbers), ...namesOf(heldReasons)])
      .nullable()
      .describe('Why the message was not planned, is held, was skipped or failed; null otherwise.'),
    source: z
      .enum(['recorded', 'computed'])
      .describe('`computed`: nothing is stored, so the rules ran with the current settings.'),
    rules: z
      .array(
        z
          .strictObject({
            rule: z.enum(ruleNames).describe('Name of the rule.'),
            passed: z.boolean().describe('False only for the last rule of the list.'),
          })
          .meta({ id: 'NotificationRule' }),
      )
      .describe('Rules in order, up to the first that failed; those of planning come first.'),
    dueAt: milliseconds
      .nullable()
      .describe(
        'When the delay ends, or the first window closes, in milliseconds since the epoch; null when nothing waits.',
      ),
    deliveryIds: z
      .array(z.string())
      .describe('Deliveries of the notification to the user, oldest first, max 101.'),
  })
  .meta({ id: 'NotificationChannelExplanation' });

export const explainNotification = endpoint({
  paths: ['/v2/notifications/explain'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Explains why a user did or did not get a notification by e-mail or Slack.',
  description:
    'For a notice or delivery of the last 30 days, `source` is `recorded`. When the planning rules stopped ' +
    'the notice, nothing is stored. The rules then run again with the current settings, `source` is ' +
    '`computed`, and the outcome is `not-planned`. `reason` is null if the rules would plan the notice ' +
    'now. For a comment, they run with the users that the annotation involves now, so a member of the ' +
    'document who was its assignee or tagged before counts only as a member. For a key with a permission ' +
    'provider, the call may query it about the user: a failure of the provider is `no-access`. An unknown ' +
    'user is `not-recipient`. An unknown organization or notification fails with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    notificationId: idOf('the notification'),
    userId: idOf('the user'),
  }),
  response: dataResponse(
    z
      .strictObject({
        notificationId: customerId.describe('Id of the notification.'),
        userId: customerId.describe('Id of the user.'),
        inbox: z
          .strictObject({
            inInbox: z.boolean().describe("Whether the notification is in the user's inbox."),
            read: z.boolean().describe('Whether the user has read it since the last change of its texts.'),
          })
          .describe('The inbox of the user.'),
        email: channelExplanation.describe('Outcome as an e-mail.'),
        slack: channelExplanation.describe('Outcome as a Slack message.'),
      })
      .meta({ id: 'NotificationExplanation' }),
  ),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', notificationId: 'welcome', userId: 'ben' },
  async handle({ data, tenant }, { em, permissionProvider }) {
    const { notificationId, userId } = data;
    const { inbox, email, slack } = await explain(em, tenant, permissionProvider, data);
    return succeeded('Notification explained successfully.', {
      notificationId,
      userId,
      inbox,
      email: view(email),
      slack: view(slack),
    });
  },
});

const view = ({ rules, deliveryIds, ...members }: ChannelExplanation) => ({
  ...members,
  rules: [...rules],
  deliveryIds: [...deliveryIds],
});
