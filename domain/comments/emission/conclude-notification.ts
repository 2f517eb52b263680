import type { EntityManager } from '../../../platform/database/orm.ts';
import { recordEvents } from '../../events/record-events.ts';
import { notificationAdded } from '../../notifications/notification-event.ts';
import { peopleIn } from '../../notifications/notification.ts';
import type { MembersNotification } from '../../notifications/notify-members.ts';
import { readEmailed } from '../../notifications/read-emailed.ts';
import { readRecipients, type Recipient } from '../../notifications/read-recipients.ts';
import { removeNotifications } from '../../notifications/remove-notifications.ts';
import { wasPlanned } from '../../notices/plan-notices.ts';
import { tablesOf } from '../../tables.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockPeople } from '../../users/lock-named.ts';
import { userIdsOf } from '../../users/user-ids.ts';
import { lockCandidates } from './candidates.ts';
import type { UnwrittenRecipients } from './remaining-job.ts';

/**
 * Deletes a notification that reaches no user. Otherwise emits its event, unless the call has emitted it. Throws
 * FAILED_PRECONDITION while the data of a user in the event is being deleted: a later retry no longer names the user.
 */
export async function concludeNotification(
  em: EntityManager,
  tenant: Tenant,
  notification: MembersNotification,
  { announced, isWanted, emailed: customSenderRecipients }: UnwrittenRecipients,
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
  const emailed = await emailedOf(em, tenant, notification, customSenderRecipients);
  const free = peopleIn(body);
  // Its texts name users too.
  const mentioned = await userIdsOf(em, tenant.id, row.mentioned);
  const inTexts = [...mentioned.values()].filter((userId) => userId !== null);
  const ids = [
    body.actionUser.userId,
    ...free.userIds,
    ...inTexts,
    ...recipients.map(({ userId }) => userId),
  ];
  const users = await lockPeople(em, tenant, { ...free, userIds: new Set(ids), addresses: [] }, [
    notification.organization,
  ]);
  const event = notificationAdded({ body, notificationId: row.ext_id }, notification, {
    at: Number(row.ts),
    recipients,
    count: row.recipient_count,
    emailed: emailed.recipients,
    users: new Set([...users.values(), ...emailed.users]),
    names: [...free.keys, ...recipients.map(({ email }) => email)],
  });
  await recordEvents(em, tenant.id, [event]);
}

/** Locks and reads the users that no deletion fences: a deletion of the others may have begun after their step. */
async function emailedOf(
  em: EntityManager,
  tenant: Tenant,
  { id, organization }: MembersNotification,
  customSenderRecipients: UnwrittenRecipients['emailed'],
): Promise<{ readonly recipients: readonly Recipient[] | undefined; readonly users: readonly string[] }> {
  if (customSenderRecipients === undefined) return { recipients: undefined, users: [] };
  const locked = await lockCandidates(em, tenant.id, organization, { keys: customSenderRecipients });
  const keys = new Set(locked.map(({ user }) => user));
  const users = customSenderRecipients.filter((user) => keys.has(user));
  return { recipients: (await readEmailed(em, tenant, new Map([[id, users]]))).get(id), users };
}
