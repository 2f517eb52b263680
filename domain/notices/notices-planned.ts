import { LRUCache } from 'lru-cache';
import type { Announcement } from '../../platform/database/orm.ts';
import type { SentChannel } from './channels.ts';

/** Notices of an API key wait on these channels, or its settings have changed so that they may leave. */
export class NoticesPlanned implements Announcement {
  readonly announces = 'notices planned';
  /** Public id. */
  readonly keyId: string;
  readonly channels: readonly SentChannel[];
  /** Milliseconds until they are due. */
  readonly dueInMs: number;

  constructor(keyId: string, channels: readonly SentChannel[], dueInMs = 0) {
    this.keyId = keyId;
    this.channels = channels;
    this.dueInMs = dueInMs;
  }
}

/** Senders whose next time is remembered, and milliseconds for which it counts: a wake may have been lost. */
const asleep = { max: 10_000, ms: 10_000 } as const;

/**
 * Handles announcements: calls `wake` for each channel of the key on which a notice waits. A sender that was woken for a
 * delayed notice sees at its time whatever was planned meanwhile, so later notices wake it once in 10 s.
 */
export const whenPlanned = (
  wake: (sender: { readonly tenantId: string; readonly channel: SentChannel }) => void,
): ((announcement: Announcement) => void) => {
  /** When the notices are due for which a sender was woken, by `performance.now()`. */
  const nextTimes = new LRUCache<string, number>({ max: asleep.max, ttl: asleep.ms });
  return (announcement) => {
    if (!(announcement instanceof NoticesPlanned)) return;
    const { keyId, channels, dueInMs } = announcement;
    const now = performance.now();
    for (const channel of channels) {
      const name = `${channel} ${keyId}`;
      const next = nextTimes.get(name) ?? 0;
      if (now < next && next <= now + dueInMs) continue;
      nextTimes.set(name, now + dueInMs);
      wake({ tenantId: keyId, channel });
    }
  };
};
