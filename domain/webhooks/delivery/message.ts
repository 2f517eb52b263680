/*
 * Names of the API and their numbers in the tables. A message is an event for one endpoint, a row of `delivery`; each
 * attempt to deliver it is a row of `attempt`.
 */

export const messageStatuses = { pending: 0, succeeded: 1, failed: 2, cancelled: 3 } as const;
export type MessageStatus = keyof typeof messageStatuses;

/** Only ended attempts are recorded. */
export const attemptStatuses = { succeeded: 1, failed: 2 } as const;
export type AttemptStatus = keyof typeof attemptStatuses;

/** The cause of an attempt: the retry schedule, a request (resend, recover), or a test. */
export const triggers = { scheduled: 0, manual: 1, test: 2 } as const;
export type Trigger = keyof typeof triggers;

/* Status reasons of due messages that are held, because they must never be sent unencrypted. */

export const heldWithoutKey = 'Encryption is on and no public key is set.';
export const heldWithUnusableKey = 'Encryption is on and the public key is not usable. Set another one.';

/** Milliseconds of an attempt for DNS lookup, connection and response together. */
export const exchangeTimeoutMs = 15_000;
