import { namesOf } from '../names-of.ts';

/** Channels on which notifications are sent. Numbers in the database, never reused. */
export const channelNumbers = { email: 1, slack: 2 } as const;

export type SentChannel = keyof typeof channelNumbers;
export const sentChannels = namesOf(channelNumbers);

/** A channel of a key. One workflow sends its messages. */
export interface KeyChannel {
  /** Public id of the API key. */
  readonly keyId: string;
  readonly channel: SentChannel;
}

/** Providers that send messages. Numbers in the database, never reused. */
export const providerNumbers = { smtp: 1, sendgrid: 2, slack: 3 } as const;

export type ProviderName = keyof typeof providerNumbers;
