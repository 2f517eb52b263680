import { z } from 'zod';
import { emailKind, emailTypes } from '../../domain/configuration/kinds/email.ts';
import { name, text } from '../schemas.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, secretText, triggersResponse, triggersInput } from './members.ts';

/** Also accepted by apikey/create. */
export const emailUpdate = {
  useEmailService: flag,
  emailServiceConfig: z
    .strictObject({
      type: z.enum(emailTypes).optional(),
      apiKey: secretText,
      fromEmail: text(254).optional(),
      fromCompany: name.optional(),
      commentTemplateId: name.optional(),
      tagTemplateId: name.optional(),
      triggers: z.strictObject({ comment: triggersInput, huddle: triggersInput }).optional(),
    })
    .optional(),
};

export const emailConfiguration = configurationOperations({
  kind: emailKind,
  path: 'emailconfig',
  summaries: {
    get: 'Returns the email settings, stored for your own sender.',
    update: 'Updates the email settings, stored for your own sender.',
  },
  messages: configurationMessages('Email'),
  emptyUpdateMessage: 'Invalid email service configuration.',
  update: z.strictObject(emailUpdate),
  example: {
    useEmailService: true,
    emailServiceConfig: { type: 'sendgrid', apiKey: 'SG.example', fromEmail: 'hello@example.com' },
  },
  response: z.strictObject({
    useEmailService: z.boolean(),
    emailServiceConfig: z.strictObject({
      type: z.enum(emailTypes),
      apiKey: z.string(),
      fromEmail: z.string(),
      fromCompany: z.string(),
      commentTemplateId: z.string(),
      tagTemplateId: z.string(),
      triggers: z.strictObject({ comment: triggersResponse, huddle: triggersResponse }),
    }),
  }),
  toChange: (sent) => sent,
  view: (config) => config,
});
