import { anyOf } from '../../platform/database/statements.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { activityLogConfigurationKind, type ActivityLogConfiguration } from './kinds/activity-log.ts';
import { notificationKind, type NotificationConfiguration } from './kinds/notification.ts';
import type { Triggers } from './triggers.ts';

/** Whether a type of event triggers a record; undefined for a type that is not in the configuration. */
type Trigger = (eventType: string) => boolean | undefined;

/** The triggers of an API key. */
export interface RecordTriggers {
  /** The trigger of activity logs. Types in the group `comment` override flat types of the same name. */
  readonly activity: Trigger;
  /** The trigger of notifications in the group `comment`. */
  readonly notification: Trigger;
}

/** The stored members of the configurations, by kind; absent before the first write. */
interface StoredTriggers {
  readonly activity?: Partial<ActivityLogConfiguration>;
  readonly notification?: Partial<NotificationConfiguration>;
}

/** Reads the triggers of activity logs and notifications of an API key in one statement. */
export async function readTriggers(em: EntityManager, apiKeyId: string): Promise<RecordTriggers> {
  const found = await tablesOf(em)
    .selectFrom('key_config')
    .select(['kind', 'config'])
    .where('api_key_id', '=', apiKeyId)
    .where('kind', '=', anyOf([activityLogConfigurationKind.name, notificationKind.name]))
    .execute();
  const { activity, notification } = Object.fromEntries(
    found.map(({ kind, config }) => [kind, config]),
  ) as StoredTriggers;
  const { comment: group = {}, ...flat } = activity?.triggers ?? {};
  const grouped: Triggers = typeof group === 'boolean' ? {} : group;
  return {
    activity: (type) => booleanOf(grouped, type) ?? booleanOf(flat, type),
    notification: (type) => booleanOf(notification?.notificationServiceConfig?.triggers.comment ?? {}, type),
  };
}

function booleanOf(triggers: Readonly<Record<string, unknown>>, type: string): boolean | undefined {
  const value = Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}
