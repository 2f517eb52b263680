import type { EntityManager } from '../../platform/database/orm.ts';
import { recordEvents } from '../events/record-events.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { DetailedExecution } from './execution.ts';

/** Surrogate keys of an execution's location and starting user. */
export interface ExecutionKeys {
  readonly organization: string | null;
  readonly document: string | null;
  readonly startedBy: string | null;
}

/** Records the event `agent.execution.<status>`. */
export async function recordExecutionEvent(
  em: EntityManager,
  tenant: Tenant,
  execution: DetailedExecution,
  { organization, document, startedBy }: ExecutionKeys,
): Promise<void> {
  if (!tenant.switches.webhooks) return;
  const channels = [execution.organizationId, execution.documentId].filter((id) => id !== null);
  await recordEvents(em, tenant.id, [
    {
      type: `agent.execution.${execution.status}`,
      organization,
      document,
      channels,
      payload: execution,
      users: startedBy === null ? [] : [startedBy],
    },
  ]);
}
