import type { KeyChannel } from '../notices/channels.ts';

/** A channel of a key, as its workflow names it. */
export interface SenderRef extends KeyChannel {
  /** The workflow's time in milliseconds since the epoch; see `Clock`. */
  readonly now: number;
}
