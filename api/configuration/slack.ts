import { z } from 'zod';
import { slackKind } from '../../domain/configuration/kinds/slack.ts';
import { retryWithNewSettings, slackChannelOf } from '../../domain/notices/channel-settings.ts';
import { NoticesPlanned } from '../../domain/notices/notices-planned.ts';
import { announce } from '../../platform/database/orm.ts';
import { channelState, channelStateOf } from './channel-state.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, mask, triggersInput, triggersResponse, unmasked, linkTemplateText } from './members.ts';

export const slackConfiguration = configurationOperations({
  kind: slackKind,
  path: 'slackconfig',
  summaries: {
    get: 'Returns the Slack settings, and whether messages are sent.',
    update: 'Updates the settings for notifications by Slack.',
  },
  descriptions: {
    get: 'Returns every field, with defaults before the first update. The token of the bot is masked.',
    update:
      'Fields that are not sent keep their value. The first update that turns Slack on also sets the usual ' +
      'triggers. An update also retries messages held by refused credentials. A masked token, an invalid ' +
      'URL, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log ' +
      'records the call, without secrets.',
  },
  messages: configurationMessages('Slack'),
  emptyUpdateMessage: 'Invalid slack service configuration.',
  update: z.strictObject({
    useSlackService: flag.describe('True sends notifications as Slack messages.'),
    slackServiceConfig: z
      .strictObject({
        botToken: unmasked('botToken')
          .optional()
          .describe(
            'Token of a bot with the scopes `chat:write`, `users:read` and `users:read.email`, max 1,000 characters. ' +
              'Stored encrypted and returned masked.',
          ),
        linkTemplate: linkTemplateText
          .optional()
          .describe(
            'http or https URL of a notification, max 2,048 characters, with `{organizationId}`, `{documentId}`, ' +
              '`{notificationId}`, `{annotationId}` and `{commentId}`; empty: no link.',
          ),
        includeContent: flag.describe('False omits texts of users from messages.'),
        triggers: z
          .strictObject({
            comment: triggersInput.describe('Event types of comments.'),
            huddle: triggersInput.describe('Event types of huddles. They have no effect yet.'),
          })
          .optional()
          .describe('Event types that send a Slack message.'),
      })
      .optional()
      .describe('Settings of Slack. Fields that are not sent keep their value.'),
  }),
  example: { useSlackService: true, slackServiceConfig: { botToken: 'xoxb-example' } },
  response: z
    .strictObject({
      useSlackService: z.boolean().describe('Whether notifications are sent as Slack messages.'),
      slackServiceConfig: z
        .strictObject({
          botToken: z.string().describe('Masked token: its first four characters. Empty when none was sent.'),
          linkTemplate: z.string().describe('URL of a notification. Empty: messages have no link.'),
          includeContent: z.boolean().describe('Whether messages contain texts of users.'),
          triggers: z
            .strictObject({
              comment: triggersResponse.describe('Event types of comments, each on or off.'),
              huddle: triggersResponse.describe('Event types of huddles, each on or off.'),
            })
            .describe('Event types that send a Slack message.'),
        })
        .describe('Settings of Slack.'),
      state: channelState,
    })
    .meta({ id: 'SlackConfiguration' }),
  toChange: (sent) => sent,
  async afterWrite(_written, tenant, { em }) {
    await retryWithNewSettings(em, tenant.id, 'slack');
    announce(em, new NoticesPlanned(tenant.keyId, ['slack']));
  },
  view: async (config, { em, tenant, messaging }) => {
    const { held } = await slackChannelOf(em, tenant.id, config, messaging);
    const { useSlackService, slackServiceConfig } = config;
    const { botToken } = slackServiceConfig;
    return {
      useSlackService,
      slackServiceConfig: { ...slackServiceConfig, botToken: botToken === '' ? '' : mask(botToken) },
      state: channelStateOf(held),
    };
  },
});
