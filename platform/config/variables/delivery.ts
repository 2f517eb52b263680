import { url } from '../parsers/addresses.ts';
import { durations, wholeNumber } from '../parsers/amounts.ts';
import { mailAddress, mailDomains, mailServer } from '../parsers/mail.ts';
import { oneOf, onOrOff, token } from '../parsers/texts.ts';
import type { Variable } from '../variable.ts';

/** Delivery of webhooks, e-mails and Slack messages. */
export const deliveryVariables = {
  STEWARD_WEBHOOK_RETRY_SCHEDULE: {
    ...durations,
    fallback: '0s,5s,5m,30m,2h,5h,10h,10h',
    meaning: 'Delay before each webhook delivery attempt.',
  },
  STEWARD_WEBHOOK_RETENTION_DAYS: {
    ...wholeNumber(3, 30),
    fallback: '30',
    meaning:
      'Days that events, webhook messages and delivery attempts are kept. Set the same number for every worker: `docs/retention.md`.',
  },
  STEWARD_WEBHOOK_ENDPOINT_CONCURRENCY: {
    ...wholeNumber(1, 50),
    fallback: '50',
    meaning:
      'Max concurrent requests to one webhook endpoint. With 1, first attempts arrive in the order of `sequence`.',
  },
  STEWARD_WEBHOOK_HTTPS_ONLY: {
    ...onOrOff,
    fallback: 'off',
    meaning: 'Whether webhooks are delivered only to https URLs.',
  },
  STEWARD_WEBHOOK_PROVIDER: {
    ...oneOf('embedded', 'svix'),
    fallback: 'embedded',
    meaning: 'Provider of advanced webhooks: Steward itself, or Svix.',
  },
  SVIX_TOKEN: {
    ...token,
    default: 'required where STEWARD_WEBHOOK_PROVIDER is svix',
    meaning: 'Token for the Svix API.',
    secret: 'whole',
  },
  SVIX_SERVER_URL: {
    ...url('https://api.eu.svix.com', 'http', 'https'),
    default: 'the Svix URL for the region of the token',
    meaning: 'URL of the Svix API.',
  },
  STEWARD_SMTP_URL: {
    ...mailServer,
    default: '`npm start` with its own PostgreSQL: the folder `mails` of its data folder; elsewhere none',
    meaning:
      'SMTP server for e-mails to users: `smtp:` with STARTTLS where the server offers it, or `smtps:`. With `file:`, each e-mail is written to a file in that folder, which keeps the last 1,000 of them.',
    secret: 'address',
  },
  STEWARD_MAIL_FROM: {
    ...mailAddress,
    default: 'required with STEWARD_SMTP_URL; `npm start` with its own PostgreSQL: steward@localhost',
    meaning: 'Sender of e-mails for keys that may not use their own address.',
  },
  STEWARD_MAIL_FROM_DOMAINS: {
    ...mailDomains,
    default: 'none: every e-mail is from STEWARD_MAIL_FROM',
    meaning:
      'Domains that keys may send from: `example.com` for all keys, `example.com=<workspace id>` for those of one workspace.',
  },
  STEWARD_EMAIL_PER_KEY_PER_SECOND: {
    ...wholeNumber(0, 10_000),
    fallback: '50',
    meaning: 'Max e-mails per second for one API key, over all workers; 0 disables the limit.',
  },
  STEWARD_EMAIL_RETRY_SCHEDULE: {
    ...durations,
    fallback: '0s,30s,2m,10m,30m,2h,6h,12h',
    meaning: 'Delay before each attempt to send an e-mail or a Slack message.',
  },
  STEWARD_SENDGRID_API_URL: {
    ...url('https://api.sendgrid.com/v3', 'http', 'https'),
    default: 'the public SendGrid URL',
    meaning: 'URL of the SendGrid API, with the version in the path (`/v3`).',
  },
  STEWARD_SLACK_API_URL: {
    ...url('https://slack.com/api', 'http', 'https'),
    default: 'the public Slack URL',
    meaning: 'URL of the Slack API, with `/api` in the path.',
  },
} as const satisfies Record<string, Variable<unknown>>;
