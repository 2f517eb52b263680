import { hourMs } from '../units.ts';

/** Why a channel waits until its provider or its settings change. */
export type SenderHold = 'credentials-refused' | 'unreachable' | 'certificate-refused';

/** The result of one attempt to send one message. */
export type SendVerdict =
  /** The provider accepted the message. `reference`: the Message-ID for SMTP, else the provider's own id. */
  | { readonly result: 'accepted'; readonly code: string; readonly reference: string | null }
  /** The provider will never accept it. `addressUnknown`: because the address does not exist. */
  | { readonly result: 'refused'; readonly code: string; readonly addressUnknown: boolean }
  /** The connection was lost before the response: the provider may have accepted it. */
  | { readonly result: 'unknown'; readonly code: string }
  /** A later attempt may succeed. */
  | { readonly result: 'failed'; readonly code: string }
  /** The provider accepts no messages before `waitMs` have passed. Does not count as an attempt. */
  | { readonly result: 'paused'; readonly code: string; readonly waitMs: number }
  /** The provider cannot be used at all. Does not count as an attempt. */
  | { readonly result: 'held'; readonly code: string; readonly reason: SenderHold };

/** The wait after a rate limit for which the provider specifies none. */
export const defaultPauseMs = 30_000;

/** Max pause, whatever the provider requests, so that no message waits longer. */
export const maxPauseMs = 72 * hourMs;

/** Max duration of an attempt, from the connection to the response. */
export const attemptLimitMs = 30_000;
