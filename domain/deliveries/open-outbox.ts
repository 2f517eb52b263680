import { openEmailOutbox, type EmailOutboxOptions } from './email-outbox.ts';
import type { OpenOutbox } from './outbox.ts';
import { openSlackOutbox, type SlackOutboxOptions } from './slack-outbox.ts';

/** Opens the outbox of a channel. */
export const outboxes =
  (options: EmailOutboxOptions & Omit<SlackOutboxOptions, 'slack' | 'connections'>): OpenOutbox =>
  async (em, tenant, channel) => {
    if (channel === 'email') return openEmailOutbox(em, options, tenant);
    const { slack, connections } = options.senders;
    return openSlackOutbox(em, { ...options, slack, connections: connections.slack }, tenant);
  };
