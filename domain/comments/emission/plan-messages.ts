import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Choice } from '../../notifications/choose-recipients.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import { noticeCandidates } from '../../notifications/notice-candidates.ts';
import { customSenderRecipients, planNotices } from '../../notices/plan-notices.ts';
import type { PlanningSettings } from '../../notices/planning-settings.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { whyOf, type ThreadChange } from './change.ts';

/** A written notification of a change. `key`: its surrogate key. */
interface WrittenNotification {
  readonly change: ThreadChange;
  readonly choices: readonly Choice[];
  readonly key: string;
  readonly audience: string;
}

/** The messages outside the inbox, by surrogate keys of notifications. */
export interface PlannedMessages {
  /** Notifications with e-mails or Slack messages that Steward sends. */
  readonly planned: ReadonlySet<string>;
  /** Users that the customer's own sender should e-mail, as `customSenderRecipients` returns them. */
  readonly emailed: ReadonlyMap<string, readonly string[] | undefined>;
}

/** Plans e-mails and Slack messages of notifications in one document. Undefined settings plan none. */
export async function planMessages(
  em: EntityManager,
  tenant: Tenant,
  { organization, document }: NotificationLocation,
  written: readonly WrittenNotification[],
  planning: PlanningSettings | undefined,
): Promise<PlannedMessages> {
  if (planning === undefined) return { planned: new Set(), emailed: new Map() };
  const notifications = written.map(({ change: { type, named }, choices, key, audience }) => ({
    id: key,
    audience,
    document,
    verify: true,
    event: type,
    candidates: noticeCandidates(choices, ({ candidate: { userId } }) => whyOf(type, named.includes(userId))),
  }));
  return {
    planned: await planNotices(em, tenant.id, organization, notifications, planning),
    emailed: new Map(notifications.map((one) => [one.id, customSenderRecipients(planning, one)])),
  };
}
