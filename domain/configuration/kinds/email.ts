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
    readonly triggers: { readonly comment: Triggers; readonly huddle: Triggers };
  };
}

/** Stored for the customer's own sender. */
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
      triggers: { comment: {}, huddle: {} },
    },
  },
  secrets: [['emailServiceConfig', 'apiKey']],
  isOn: ({ useEmailService }) => useEmailService,
  seed: (stored) => {
    const { comment, huddle } = seededTriggers;
    const seed = { emailServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { emailServiceConfig: stored.emailServiceConfig });
  },
};
