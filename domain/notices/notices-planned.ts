import type { Announcement } from '../../platform/database/orm.ts';
import type { SentChannel } from './channels.ts';

/** Notices of an API key wait on these channels, or its settings have changed so that they may leave. */
export class NoticesPlanned implements Announcement {
  readonly announces = 'notices planned';
  /** Public id. */
  readonly keyId: string;
  readonly channels: readonly SentChannel[];

  constructor(keyId: string, channels: readonly SentChannel[]) {
    this.keyId = keyId;
    this.channels = channels;
  }
}

/** Handles announcements: calls `wake` for each channel of the key on which a notice waits. */
export const whenPlanned =
  (wake: (sender: { readonly tenantId: string; readonly channel: SentChannel }) => void) =>
  (announcement: Announcement): void => {
    if (!(announcement instanceof NoticesPlanned)) return;
    const { keyId, channels } = announcement;
    for (const channel of channels) wake({ tenantId: keyId, channel });
  };
