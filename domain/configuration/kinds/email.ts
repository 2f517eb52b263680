import { randomBytes } from 'node:crypto';
import { merged } from '../change.ts';
import type { ConfigurationKind } from '../kind.ts';
import { seededTriggers, type Triggers } from '../triggers.ts';

export const emailTypes = ['default', 'sendgrid', 'custom'] as const;

export interface EmailConfiguration {
  readonly useEmailService: boolean;
  readonly emailServiceConfig: {
    readonly type: (typeof emailTypes)[number];
    readonly apiKey: string;
    readonly fromEmail: string;
    readonly fromCompany: string;
    readonly commentTemplateId: string;
    readonly tagTemplateId: string;
    /** An address, or empty. */
    readonly replyTo: string;
    /** An http or https URL with placeholders for ids, or empty. */
    readonly linkTemplate: string;
    /** Whether messages contain texts of users. */
    readonly includeContent: boolean;
    /** SendGrid's key for its reports: base64 of DER SPKI, P-256, or empty. */
    readonly eventPublicKey: string;
    readonly triggers: { readonly comment: Triggers; readonly huddle: Triggers };
  };
  /** Random: names the API key in the URL for SendGrid's reports. Empty before the first write. */
  readonly hookId: string;
}

/**
 * The row of the members that 0.2.0 does not know. Releases that send e-mail write it with each update. A key with
 * stored e-mail settings but without this row sends nothing: its settings date from a release that sent no e-mail.
 */
export const emailSendingRow = 'emailsending';

/** How e-mails of a key are sent: by the deployment's SMTP server, by the key's SendGrid account, or by the customer. */
export const emailKind: ConfigurationKind<EmailConfiguration> = {
  name: 'email',
  defaults: {
    useEmailService: false,
    emailServiceConfig: {
      type: 'default',
      apiKey: '',
      fromEmail: '',
      fromCompany: '',
      commentTemplateId: '',
      tagTemplateId: '',
      replyTo: '',
      linkTemplate: '',
      includeContent: true,
      eventPublicKey: '',
      triggers: { comment: {}, huddle: {} },
    },
    hookId: '',
  },
  secrets: [['emailServiceConfig', 'apiKey']],
  added: {
    row: emailSendingRow,
    members: [
      ['hookId'],
      ['emailServiceConfig', 'replyTo'],
      ['emailServiceConfig', 'linkTemplate'],
      ['emailServiceConfig', 'includeContent'],
      ['emailServiceConfig', 'eventPublicKey'],
    ],
  },
  complete: (config) =>
    config.hookId === '' ? { ...config, hookId: randomBytes(24).toString('base64url') } : config,
  isOn: ({ useEmailService }) => useEmailService,
  seed: (stored) => {
    const { comment, huddle } = seededTriggers;
    const seed = { emailServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { emailServiceConfig: stored.emailServiceConfig });
  },
};
