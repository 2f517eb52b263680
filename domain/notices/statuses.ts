import { namesOf } from '../names-of.ts';

/** States of a notice. `taken`: it belongs to a delivery. Numbers in the database, never reused. */
export const noticeStates = { waiting: 0, batching: 1, taken: 2 } as const;

/** Final statuses of a delivery. `delivered`, `bounced` and `complained` come from a provider's report. */
export const finalStatuses = {
  sent: 1,
  delivered: 2,
  bounced: 3,
  complained: 4,
  skipped: 5,
  failed: 6,
} as const;

export type FinalStatus = keyof typeof finalStatuses;

/** Statuses of deliveries in responses. */
export const deliveryStatuses = ['queued', 'sending', 'held', ...namesOf(finalStatuses)] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why a notice is planned. Numbers in the database, never reused. */
export const whyNumbers = { mention: 1, assigned: 2, thread: 3, member: 4, named: 5 } as const;

export type Why = keyof typeof whyNumbers;

/** Why a delivery ended without being sent, or bounced. Numbers in the database, never reused. */
export const reasonNumbers = {
  'service-off': 1,
  'channel-off': 2,
  'not-confirmed': 3,
  'trigger-off': 4,
  'not-recipient': 5,
  actor: 6,
  'not-visible': 7,
  'no-access': 8,
  'preference-none': 9,
  'preference-mine': 10,
  'notification-gone': 11,
  seen: 12,
  'no-address': 13,
  suppressed: 14,
  expired: 15,
  'address-unsupported': 16,
  refused: 17,
  'attempts-used': 18,
} as const;

export type StatusReason = keyof typeof reasonNumbers;

/** Why a channel of a key is held. Numbers in the database, never reused. */
export const heldReasons = {
  'smtp-not-configured': 1,
  'from-missing': 2,
  'not-confirmed': 3,
  'token-missing': 4,
  'credentials-refused': 5,
  unreachable: 6,
  'certificate-refused': 7,
  paused: 8,
} as const;

export type HeldReason = keyof typeof heldReasons;

/** Reasons that only a change of the key's or the deployment's settings ends. */
export const missingSettings: ReadonlySet<HeldReason> = new Set<HeldReason>([
  'smtp-not-configured',
  'from-missing',
  'not-confirmed',
  'token-missing',
]);
