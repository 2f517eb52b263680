/*
 * The words of deliveries as the API says them, and the numbers by which their tables know them.
 * A message is an event on its way to one endpoint: a row of `delivery`. Each try to bring it there is a row of `attempt`.
 */

export const messageStatuses = { pending: 0, succeeded: 1, failed: 2, cancelled: 3 } as const;
export type MessageStatus = keyof typeof messageStatuses;

/** An attempt is over when it is recorded. */
export const attemptStatuses = { succeeded: 1, failed: 2 } as const;
export type AttemptStatus = keyof typeof attemptStatuses;

/** Why an attempt was made: by the retry schedule, because someone asked for it (resend, recover), or as a test. */
export const triggers = { scheduled: 0, manual: 1, test: 2 } as const;
export type Trigger = keyof typeof triggers;

/** Says why nothing is sent although it is due; nothing is ever sent in plain instead. */
export const heldWithoutKey = 'Encryption is on and no public key is set.';
