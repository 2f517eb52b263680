import type { EntityManager } from '../../platform/database/orm.ts';
import { removeRemainingActivities, type RemainingActivities } from '../activities/delete-activities.ts';

/** Records that a call began to remove and left to a job, for there were more of them than one call removes. */
export interface SelectedRecords {
  readonly of: 'activities';
  readonly selection: RemainingActivities;
}

/** Removes the next of them, few enough for one short transaction; answers how many, 0 at the end. */
export async function removeSelected(
  em: EntityManager,
  tenantId: string,
  { selection }: SelectedRecords,
): Promise<number> {
  return removeRemainingActivities(em, tenantId, selection);
}
