import { openEmailTransport, type EmailTransportOptions } from './email-transport.ts';
import type { OpenTransport } from './transport.ts';
import { openSlackTransport, type SlackTransportOptions } from './slack-transport.ts';

/** Opens the transport of a channel. */
export const transports =
  (options: EmailTransportOptions & Omit<SlackTransportOptions, 'slack' | 'connections'>): OpenTransport =>
  async (em, tenant, channel) => {
    if (channel === 'email') return openEmailTransport(em, options, tenant);
    const { slack, connections } = options.senders;
    return openSlackTransport(em, { ...options, slack, connections: connections.slack }, tenant);
  };
