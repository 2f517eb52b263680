import { openEmailOutbox, type EmailOutboxOptions } from './email-outbox.ts';
import type { OpenOutbox } from './outbox.ts';
import { openSlackOutbox, type SlackOutboxOptions } from './slack-outbox.ts';

/** Opens the outbox of a channel. */
export const outboxes =
  (options: EmailOutboxOptions & Omit<SlackOutboxOptions, 'slack'>): OpenOutbox =>
  async (em, tenant, channel) =>
    channel === 'email'
      ? openEmailOutbox(em, options, tenant)
      : openSlackOutbox(em, { ...options, slack: options.senders.slack }, tenant);
