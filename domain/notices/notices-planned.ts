import { LRUCache } from 'lru-cache';
import type { Announcement } from '../../platform/database/orm.ts';
import type { KeyChannel, SentChannel } from './channels.ts';

/** Notices of an API key wait on these channels, or changed settings may allow them to be sent. */
export class NoticesPlanned implements Announcement {
  readonly announces = 'notices planned';
  /** Public id. */
  readonly keyId: string;
  readonly channels: readonly SentChannel[];
  /** Milliseconds until the notices are due. */
  readonly dueInMs: number;

  constructor(keyId: string, channels: readonly SentChannel[], dueInMs = 0) {
    this.keyId = keyId;
    this.channels = channels;
    this.dueInMs = dueInMs;
  }
}

/** Max senders whose next wake is remembered, and milliseconds for which it is trusted: a wake may have been lost. */
const remembered = { max: 10_000, ms: 10_000 } as const;

/**
 * Handles announcements: calls `wake` for each channel of the key on which a notice waits. A sender that was woken for a
 * delayed notice reads all notices when it is due, so later notices wake it once in 10 s.
 */
export const whenPlanned = (wake: (sender: KeyChannel) => void): ((announcement: Announcement) => void) => {
  /** When the notices are due for which each sender was last woken, by `performance.now()`. */
  const nextTimes = new LRUCache<string, number>({ max: remembered.max, ttl: remembered.ms });
  return (announcement) => {
    if (!(announcement instanceof NoticesPlanned)) return;
    const { keyId, channels, dueInMs } = announcement;
    const now = performance.now();
    for (const channel of channels) {
      const name = `${channel} ${keyId}`;
      const next = nextTimes.get(name) ?? 0;
      if (now < next && next <= now + dueInMs) continue;
      nextTimes.set(name, now + dueInMs);
      wake({ keyId, channel });
    }
  };
};
