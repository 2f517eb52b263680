import type { SentChannel } from './channels.ts';
import { finalStatuses, type DeliveryStatus } from './statuses.ts';

/** Conditions, combined with AND. Surrogate keys, except for `deliveryIds`. */
export interface DeliveryFilter {
  readonly tenantId: string;
  readonly organization: string;
  readonly user?: string | undefined;
  readonly notification?: string | undefined;
  readonly document?: string | undefined;
  readonly deliveryIds?: readonly string[] | undefined;
  readonly channels?: readonly SentChannel[] | undefined;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** Milliseconds since the epoch; `until` is exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Statuses of deliveries that have ended, and of those that have not. */
export const stateNumbers = {
  queued: -1,
  sending: -2,
  held: -3,
  ...finalStatuses,
} as const satisfies Record<DeliveryStatus, number>;
