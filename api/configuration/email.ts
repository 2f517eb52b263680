import { z } from 'zod';
import { emailKind, emailTypes } from '../../domain/configuration/kinds/email.ts';
import { isP256PublicKey } from '../../domain/configuration/p256-public-key.ts';
import { emailChannelOf, retryWithNewSettings } from '../../domain/notices/channel-settings.ts';
import { NoticesPlanned } from '../../domain/notices/notices-planned.ts';
import { announce } from '../../platform/database/orm.ts';
import { emailOrNone, name, text } from '../schemas.ts';
import { channelState, channelStateOf } from './channel-state.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { emailWarnings, eventUrlOf } from './email-warnings.ts';
import {
  flag,
  publicKeyText,
  secretText,
  triggersResponse,
  triggersInput,
  linkTemplateText,
} from './members.ts';

const eventPublicKey = publicKeyText.refine((sent) => sent === '' || isP256PublicKey(sent), {
  error: 'eventPublicKey must be a P-256 public key.',
});

/** Also accepted by apikey/create. */
export const emailUpdate = {
  useEmailService: flag.describe('True sends notifications as e-mails.'),
  emailServiceConfig: z
    .strictObject({
      type: z
        .enum(emailTypes)
        .optional()
        .describe(
          'Sender of the e-mails: `default` is the SMTP server of the deployment, `sendgrid` your SendGrid account, `custom` your own ' +
            'sender, which listens to `notification.add`.',
        ),
      apiKey: secretText.describe('API key of SendGrid, max 1,000 characters. Stored encrypted.'),
      fromEmail: text(254)
        .optional()
        .describe(
          'Address of the sender, max 254 characters. Type `default` uses it if the deployment lists its domain ' +
            'for all keys or for your workspace.',
        ),
      fromCompany: name.optional().describe('Name of the sender, max 1,000 characters.'),
      commentTemplateId: name
        .optional()
        .describe('SendGrid template of e-mails about comments, max 1,000 characters.'),
      tagTemplateId: name
        .optional()
        .describe('SendGrid template of e-mails about mentions, max 1,000 characters.'),
      replyTo: emailOrNone
        .optional()
        .describe('Address that replies go to, max 254 characters; empty: the sender.'),
      linkTemplate: linkTemplateText
        .optional()
        .describe(
          'http or https URL of a notification, max 2,048 characters, with `{organizationId}`, `{documentId}`, ' +
            '`{notificationId}`, `{annotationId}` and `{commentId}`; empty: no link.',
        ),
      includeContent: flag.describe('False omits texts of users from e-mails.'),
      eventPublicKey: eventPublicKey
        .optional()
        .describe(
          'Public key of the signed event webhook of SendGrid: base64 of DER (SPKI), P-256, max 4,096 characters; ' +
            'empty: reports are rejected.',
        ),
      triggers: z
        .strictObject({
          comment: triggersInput.describe('Event types of comments.'),
          huddle: triggersInput.describe('Event types of huddles. They have no effect yet.'),
        })
        .optional()
        .describe('Event types that send an e-mail.'),
    })
    .optional()
    .describe('Settings of e-mail. Fields that are not sent keep their value.'),
};

export const emailConfiguration = configurationOperations({
  kind: emailKind,
  path: 'emailconfig',
  summaries: {
    get: 'Returns the e-mail settings, and whether e-mails are sent.',
    update: 'Updates the settings for notifications by e-mail.',
  },
  descriptions: {
    get:
      'Returns every field, including the API key of SendGrid. Before the first update, the fields have ' +
      'their defaults.',
    update:
      'Fields that are not sent keep their value. The first update that turns e-mail on also sets the usual ' +
      'triggers. A key whose settings were stored before Steward sent e-mails is held as `not-confirmed` ' +
      'until an update. An update also retries messages held by refused credentials. An invalid address, URL ' +
      'or key, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit ' +
      'log records the call, without secrets.',
  },
  messages: configurationMessages('Email'),
  emptyUpdateMessage: 'Invalid email service configuration.',
  update: z.strictObject(emailUpdate),
  example: {
    useEmailService: true,
    emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.example', fromEmail: 'hello@example.com' },
  },
  response: z
    .strictObject({
      useEmailService: z.boolean().describe('Whether notifications are sent as e-mails.'),
      emailServiceConfig: z
        .strictObject({
          type: z.enum(emailTypes).describe('Sender of the e-mails.'),
          apiKey: z.string().describe('API key of SendGrid.'),
          fromEmail: z.string().describe('Address of the sender.'),
          fromCompany: z.string().describe('Name of the sender.'),
          commentTemplateId: z.string().describe('SendGrid template of e-mails about comments.'),
          tagTemplateId: z.string().describe('SendGrid template of e-mails about mentions.'),
          replyTo: z.string().describe('Address that replies go to. Empty: the sender.'),
          linkTemplate: z.string().describe('URL of a notification. Empty: e-mails have no link.'),
          includeContent: z.boolean().describe('Whether e-mails contain texts of users.'),
          eventPublicKey: z
            .string()
            .describe('Public key of the reports of SendGrid. Empty when none was sent.'),
          triggers: z
            .strictObject({
              comment: triggersResponse.describe('Event types of comments, each on or off.'),
              huddle: triggersResponse.describe('Event types of huddles, each on or off.'),
            })
            .describe('Event types that send an e-mail.'),
        })
        .describe('Settings of e-mail.'),
      state: channelState,
      eventUrl: z
        .string()
        .nullable()
        .describe(
          'URL for the signed event webhook of SendGrid: reports there need `eventPublicKey`, max 1 MiB per request. ' +
            'Null for other types, until the settings are first stored, and unless the deployment has a public URL ' +
            'with https, or on its own machine.',
        ),
      warning: z
        .string()
        .optional()
        .describe('Features that e-mails lack, such as your own sender address. Absent when they lack none.'),
    })
    .meta({ id: 'EmailConfiguration' }),
  toChange: (sent) => sent,
  async afterWrite(_written, tenant, { em }) {
    await retryWithNewSettings(em, tenant.id, 'email');
    announce(em, new NoticesPlanned(tenant.keyId, ['email']));
  },
  view: async (config, { em, tenant, messaging }) => {
    const channel = await emailChannelOf(em, tenant.id, config, messaging);
    const { useEmailService, emailServiceConfig } = config;
    const isWarned = useEmailService || channel.fromIsReplaced;
    const warnings = isWarned ? emailWarnings(channel, messaging) : [];
    return {
      useEmailService,
      emailServiceConfig,
      state: channelStateOf(channel.held),
      eventUrl: eventUrlOf(channel, messaging),
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
    };
  },
});
