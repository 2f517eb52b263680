/** Why a channel waits until its provider, or its settings, change. */
export type HeldReason = 'credentials-refused' | 'unreachable' | 'certificate-refused';

/** What became of one attempt to send one message, and what follows from it. */
export type Verdict =
  /** The provider took over the message. `reference` is the Message-ID by SMTP, else the provider's own id. */
  | { readonly result: 'accepted'; readonly code: string; readonly reference: string | null }
  /** The provider will never take it. `addressUnknown`: because the address does not exist. */
  | { readonly result: 'refused'; readonly code: string; readonly addressUnknown: boolean }
  /** The provider may have taken it: the connection was lost before its response. */
  | { readonly result: 'unknown'; readonly code: string }
  /** A later attempt may succeed. */
  | { readonly result: 'failed'; readonly code: string }
  /** The provider takes no messages before `waitMs` have passed. No attempt counts. */
  | { readonly result: 'paused'; readonly code: string; readonly waitMs: number }
  /** The provider cannot be used at all. No attempt counts. */
  | { readonly result: 'held'; readonly code: string; readonly reason: HeldReason };

/** The wait after a refusal of pace that names none. */
export const defaultPauseMs = 30_000;

/** Max pause, regardless of what a provider requests: no message waits longer. */
export const maxPauseMs = 72 * 3_600_000;

/** Limit of an attempt, from the connection to the response. */
export const attemptLimitMs = 30_000;
