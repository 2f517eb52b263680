import type { EntityManager } from '../../platform/database/orm.ts';
import { recordEvents } from '../events/record-events.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { distinctNames } from '../users/name-index.ts';
import { namedPeople } from '../users/named-users.ts';
import type { DetailedExecution } from './execution.ts';

/** Surrogate keys of an execution's location. */
export interface ExecutionKeys {
  readonly organization: string | null;
  readonly document: string | null;
}

/** Records the event `agent.execution.<status>`. `users`: at least those that `ranBy` names, locked. */
export async function recordExecutionEvent(
  em: EntityManager,
  tenant: Tenant,
  execution: DetailedExecution,
  { organization, document }: ExecutionKeys,
  users: LockedUsers,
): Promise<void> {
  if (!tenant.switches.webhooks) return;
  const named = namedPeople(execution.ranBy);
  const channels = [execution.organizationId, execution.documentId].filter((id) => id !== null);
  await recordEvents(em, tenant.id, [
    {
      type: `agent.execution.${execution.status}`,
      organization,
      document,
      channels,
      payload: execution,
      users: [...named.userIds].flatMap((userId) => users.get(userId) ?? []),
      names: distinctNames(named.keys),
    },
  ]);
}
