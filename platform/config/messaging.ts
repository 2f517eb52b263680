import type { MailDomain } from './parsers/mail.ts';
import type { Read, Value } from './read-variable.ts';

/** How a deployment sends e-mails and Slack messages to users. */
export interface Messaging {
  /** `smtp:`, `smtps:`, or `file:` with the folder that gets each e-mail as a file. */
  readonly mailServer: string | undefined;
  /** Defined when `mailServer` is. */
  readonly from: string | undefined;
  readonly fromDomains: readonly MailDomain[];
  /** Limit of one API key; 0 is no limit. */
  readonly emailsPerSecond: number;
  /** Delay before each attempt. */
  readonly retryDelaysMs: readonly number[];
  /** Base of links in messages, and of the URL for reports. Undefined unless it has https, or is on this machine. */
  readonly publicUrl: string | undefined;
  /** Whether `STEWARD_PAUSED` contains `deliveries`; nothing is sent then. */
  readonly paused: boolean;
  readonly sendGridUrl: string;
  readonly slackUrl: string;
}

export function readMessaging(read: Read, value: Value): Messaging {
  return {
    mailServer: read('STEWARD_SMTP_URL'),
    from: read('STEWARD_MAIL_FROM'),
    fromDomains: read('STEWARD_MAIL_FROM_DOMAINS') ?? [],
    emailsPerSecond: value('STEWARD_EMAIL_PER_KEY_PER_SECOND'),
    retryDelaysMs: value('STEWARD_EMAIL_RETRY_SCHEDULE'),
    publicUrl: linkBase(read('STEWARD_PUBLIC_URL')),
    paused: read('STEWARD_PAUSED')?.has('deliveries') ?? false,
    sendGridUrl: read('STEWARD_SENDGRID_API_URL') ?? 'https://api.sendgrid.com/v3',
    slackUrl: read('STEWARD_SLACK_API_URL') ?? 'https://slack.com/api',
  };
}

const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Mail programs call only https URLs (RFC 8058). */
function linkBase(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined;
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || thisMachine.has(hostname) ? publicUrl : undefined;
}
