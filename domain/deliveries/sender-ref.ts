import type { SentChannel } from '../notices/channels.ts';

/** A channel of a key. */
export interface SenderRef {
  /** Public id of the API key. */
  readonly keyId: string;
  readonly channel: SentChannel;
  /** The workflow's time in milliseconds since the epoch; see `Clock`. */
  readonly now: number;
}
