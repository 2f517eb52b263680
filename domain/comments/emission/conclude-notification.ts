import type { EntityManager } from '../../../platform/database/orm.ts';
import { recordEvents } from '../../events/record-events.ts';
import { notificationAdded } from '../../notifications/notification-event.ts';
import { peopleIn } from '../../notifications/notification.ts';
import type { LockedNotification } from '../../notifications/notify-members.ts';
import { readRecipients } from '../../notifications/read-recipients.ts';
import { removeNotifications } from '../../notifications/remove-notifications.ts';
import { wasPlanned } from '../../notices/plan-notices.ts';
import { tablesOf } from '../../tables.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockPeople } from '../../users/lock-named.ts';
import type { Remaining } from './remaining-job.ts';

/** Deletes a notification that reaches no user. Emits the event of others, unless the call has. */
export async function concludeNotification(
  em: EntityManager,
  tenant: Tenant,
  notification: LockedNotification,
  { announced, isWanted }: Remaining,
): Promise<void> {
  const row = await tablesOf(em)
    .selectFrom('notification')
    .select(['ext_id', 'ts', 'recipient_count', 'body', 'mentioned'])
    .where('id', '=', notification.id)
    .executeTakeFirstOrThrow();
  if (row.recipient_count === 0 && isWanted !== true && !(await wasPlanned(em, notification.id))) {
    await removeNotifications(em, tenant.id, [notification.id]);
    return;
  }
  if (announced || !tenant.switches.webhooks) return;
  const body = row.body;
  const recipients =
    (await readRecipients(em, tenant, [notification.id], undefined)).get(notification.id) ?? [];
  const free = peopleIn(body);
  const ids = [body.actionUser.userId, ...free.userIds, ...recipients.map(({ userId }) => userId)];
  const users = await lockPeople(em, tenant, { ...free, userIds: new Set(ids), addresses: [] }, [
    notification.organization,
  ]);
  const event = notificationAdded({ body, notificationId: row.ext_id }, notification, {
    at: Number(row.ts),
    recipients,
    count: row.recipient_count,
    // Its texts name users too.
    users: new Set([...users.values(), ...row.mentioned]),
    names: [...free.keys, ...recipients.map(({ email }) => email)],
  });
  await recordEvents(em, tenant.id, [event]);
}
