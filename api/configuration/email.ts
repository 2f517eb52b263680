import { z } from 'zod';
import { emailKind, emailTypes } from '../../domain/configuration/kinds/email.ts';
import { name, text } from '../schemas.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, secretText, triggersResponse, triggersInput } from './members.ts';

/** Also accepted by apikey/create. */
export const emailUpdate = {
  useEmailService: flag.describe('True turns email on. Stored for your own sender.'),
  emailServiceConfig: z
    .strictObject({
      type: z.enum(emailTypes).optional().describe('Kind of email service.'),
      apiKey: secretText.describe('Key of the email service, max 1,000 characters. Stored encrypted.'),
      fromEmail: text(254).optional().describe('Address of the sender, max 254 characters.'),
      fromCompany: name.optional().describe('Name of the sender, max 1,000 characters.'),
      commentTemplateId: name.optional().describe('Template of emails about comments, max 1,000 characters.'),
      tagTemplateId: name.optional().describe('Template of emails about mentions, max 1,000 characters.'),
      triggers: z
        .strictObject({
          comment: triggersInput.describe('Event types of comments.'),
          huddle: triggersInput.describe('Event types of huddles.'),
        })
        .optional()
        .describe('Event types that send email.'),
    })
    .optional()
    .describe('Settings of the email service. Members that are not sent keep their value.'),
};

export const emailConfiguration = configurationOperations({
  kind: emailKind,
  path: 'emailconfig',
  summaries: {
    get: 'Returns the email settings, stored for your own sender.',
    update: 'Updates the email settings, stored for your own sender.',
  },
  descriptions: {
    get: 'Returns every member, with defaults before the first update, the key of the email service included.',
    update:
      'Members that are not sent keep their value. The first update that turns email on also sets the usual ' +
      'triggers. Steward sends no email itself. An update without a known member fails with ' +
      '`INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.',
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
      useEmailService: z.boolean().describe('Whether email is on.'),
      emailServiceConfig: z
        .strictObject({
          type: z.enum(emailTypes).describe('Kind of email service.'),
          apiKey: z.string().describe('Key of the email service.'),
          fromEmail: z.string().describe('Address of the sender.'),
          fromCompany: z.string().describe('Name of the sender.'),
          commentTemplateId: z.string().describe('Template of emails about comments.'),
          tagTemplateId: z.string().describe('Template of emails about mentions.'),
          triggers: z
            .strictObject({
              comment: triggersResponse.describe('Event types of comments, each on or off.'),
              huddle: triggersResponse.describe('Event types of huddles, each on or off.'),
            })
            .describe('Event types that send email.'),
        })
        .describe('Settings of the email service.'),
    })
    .meta({ id: 'EmailConfiguration' }),
  toChange: (sent) => sent,
  view: (config) => config,
});
