import type { EntityManager } from '../../../platform/database/orm.ts';
import { createJob, type CreatedJob } from '../../jobs/create-job.ts';
import { cascadeKind } from '../../jobs/job-kinds.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';

/** A notification with recipients that are not written yet. Ids are surrogate keys. */
export interface UnwrittenRecipients {
  readonly audience: string;
  /** Users that the change itself names. */
  readonly named: readonly string[];
  /** Whether the call has emitted its event. */
  readonly announced: boolean;
  /** A user accepts e-mail that the customer sends, on `notification.add`. Absent in jobs of former releases. */
  readonly isWanted?: boolean;
  /**
   * Users that the customer's own sender should e-mail, max 1,000, for the event that the job emits. Absent without such a
   * sender, after the event of the call, and in jobs of former releases. Empty when the job has ended the notification.
   */
  readonly emailed?: readonly string[];
  /**
   * Users whom the call or an earlier step has handled, apart from the members that precede the position: a user who
   * deletes the notification keeps it deleted. Absent in jobs of former releases, whose workers ignore it.
   */
  readonly handled?: readonly string[];
  /** The first position, as in `MemberPage`; `''`: the first member. Absent when the named users come first. */
  readonly from?: string;
  /** The users examined just before the position, as in `MemberPage`. */
  readonly trail?: readonly string[];
}

/** The stored request of the job. Ids are surrogate keys, except `keyId`. */
export interface RemainingRequest {
  readonly notify: {
    readonly notifications: readonly UnwrittenRecipients[];
    /** Public id and switches of the API key at the time of the call. */
    readonly keyId: string;
    readonly switches: Tenant['switches'];
    /** Index of the next notification. */
    readonly at: number;
    /** The last examined member of its document; `''`: the first member is next. Null: its `from` is next. */
    readonly after: string | null;
  };
}

/** Whether the request of a job is that of `notifyRemaining`. */
export const isRemainingRequest = (request: unknown): request is RemainingRequest =>
  typeof request === 'object' && request !== null && Object.hasOwn(request, 'notify');

/**
 * Creates the job; undefined when nothing remains. Its kind is that of cascades, the closest public one. A release
 * before this request fails on it, because it has no lists of a cascade, and retries.
 */
export async function createNotifyRemainingJob(
  em: EntityManager,
  tenant: Tenant,
  { organization: id, organizationId }: NotificationLocation,
  notifications: readonly UnwrittenRecipients[],
): Promise<CreatedJob | undefined> {
  if (notifications.length === 0) return undefined;
  const { keyId, switches } = tenant;
  const request: RemainingRequest = { notify: { notifications, keyId, switches, at: 0, after: null } };
  return createJob(em, tenant, {
    kind: cascadeKind,
    special: 'notifyRemaining',
    organization: { id, organizationId },
    request,
  });
}
