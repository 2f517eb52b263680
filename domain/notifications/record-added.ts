import type { EntityManager } from '../../platform/database/orm.ts';
import { recordEvents } from '../events/record-events.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Choice } from './choose-recipients.ts';
import type { NotificationLocation } from './decide-recipients.ts';
import { notificationAdded } from './notification-event.ts';
import type { NotificationBody } from './notification.entity.ts';
import { readEmailed } from './read-emailed.ts';
import { readRecipients } from './read-recipients.ts';

/** A notification that a call has written, for its event. Users are surrogate keys. */
interface WrittenNotification {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly mentioned: readonly string[];
  /** The decisions about the users that are notified. */
  readonly recipients: readonly Choice[];
  /** Users that the customer's own sender should e-mail; undefined without such a sender. */
  readonly sentByCustomer: readonly string[] | undefined;
  /** Keys of the free JSON of the body that may be user ids or e-mail addresses. */
  readonly keys: Iterable<string>;
}

/** Records the event of a written notification. Call it after its recipients are assigned. */
export async function recordAdded(
  em: EntityManager,
  tenant: Tenant,
  request: { readonly body: NotificationBody; readonly notificationId: string },
  location: NotificationLocation,
  { id, at, actor, mentioned, recipients, sentByCustomer, keys }: WrittenNotification,
): Promise<void> {
  const users = [
    actor,
    ...mentioned,
    ...recipients.map(({ candidate }) => candidate.user),
    ...(sentByCustomer ?? []),
  ];
  const shown = (await readRecipients(em, tenant, [id], undefined)).get(id) ?? [];
  const emailed = await readEmailed(em, tenant, new Map([[id, sentByCustomer]]));
  const event = notificationAdded(request, location, {
    at,
    recipients: shown,
    count: recipients.length,
    emailed: emailed.get(id),
    users: new Set(users),
    names: [...keys, ...shown.map(({ email }) => email)],
  });
  await recordEvents(em, tenant.id, [event]);
}
