import type { EntityManager } from '../../../platform/database/orm.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { NamedUser } from '../comment.entity.ts';
import type { ThreadChange } from './change.ts';
import { emitThreads } from './emit-changes.ts';
import type { EmittedThread } from './read-emitted.ts';

/** The actor of the deletion, and the flags of the call. */
export interface DeletionTriggers {
  /** Null only when both flags are false. */
  readonly actor: NamedUser | null;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/**
 * Emits the deletion of locked threads, by surrogate key, if a flag is true. Call it before they are deleted. Reads and
 * renders at most 2 MiB of them at a time.
 */
export async function emitDeletedThreads(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  threads: readonly string[],
  { actor, triggerNotification, triggerActivities }: DeletionTriggers,
): Promise<void> {
  const { webhooks, activityLogs } = tenant.switches;
  const isRequested = triggerNotification || triggerActivities;
  if (actor === null || !isRequested || !(webhooks || activityLogs)) return;
  const changesOf = (_: string, state: EmittedThread): ThreadChange[] => [
    {
      ...state,
      type: 'comment_annotation.delete',
      actor,
      named: [],
      triggerNotification,
      triggerActivities,
    },
  ];
  await emitThreads(em, tenant, location, threads, changesOf, actor);
}
