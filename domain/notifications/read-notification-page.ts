import { inSnapshot, type EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  positionOf,
  readNotifications,
  type NotificationFilter,
  type NotificationPage,
} from './read-notifications.ts';
import { readRecipients, type Recipient } from './read-recipients.ts';

export interface RenderedPage extends NotificationPage {
  /** By the notification's surrogate key. */
  readonly recipients: ReadonlyMap<string, readonly Recipient[]>;
}

/**
 * Reads notifications with their recipients, in one snapshot: without the recipients of notifications deleted meanwhile, a
 * list would end early. Each gets half of the page's bytes.
 */
export async function readNotificationPage(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  filter: NotificationFilter,
  paging: Parameters<typeof readNotifications>[4],
): Promise<RenderedPage> {
  const { rows, bytes, aloneBytes } = paging.limit;
  const half = Math.floor(bytes / 2);
  const limit = { rows, bytes: half, aloneBytes: Math.max(half, Math.floor(aloneBytes / 2)) };
  const { page, recipients } = await inSnapshot(em, async (own) => {
    const read = await readNotifications(own, tenant, organization, filter, { ...paging, limit });
    const ids = read.notifications.map(({ id }) => id);
    return { page: read, recipients: await readRecipients(own, tenant, ids, filter.user, half) };
  });
  const notifications = page.notifications.slice(0, recipients.size);
  return notifications.length === page.notifications.length
    ? { ...page, recipients }
    : { notifications, recipients, next: positionOf(notifications.at(-1)), cut: true };
}
