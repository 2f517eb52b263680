import type { EntityManager } from '../../platform/database/orm.ts';
import {
  removeRemainingActivityLogs,
  type RemainingActivityLogs,
} from '../activity-logs/delete-activity-logs.ts';
import { removeRemainingThreads, type RemainingThreads } from '../comments/removal-job.ts';
import { removeRemainingRecords, type RemainingRecords } from '../crdt/delete-records.ts';
import {
  removeRemainingNotifications,
  type RemainingNotifications,
} from '../notifications/remove-remaining-notifications.ts';
import { removeRemainingRecordings, type RemainingRecordings } from '../recordings/delete-recordings.ts';

/** Records that a call leaves to a job, because they exceed its limit. */
export type SelectedRecords =
  | { readonly of: 'activities'; readonly selection: RemainingActivityLogs }
  | { readonly of: 'crdt'; readonly selection: RemainingRecords }
  | { readonly of: 'notifications'; readonly selection: RemainingNotifications }
  | { readonly of: 'recordings'; readonly selection: RemainingRecordings }
  | { readonly of: 'threads'; readonly selection: RemainingThreads };

/** The number of records that a batch removed, and what is left after it; undefined at the end. */
export interface RemovedBatch {
  readonly count: number;
  readonly left: SelectedRecords | undefined;
}

/** Removes the next batch in the caller's transaction. */
export async function removeSelected(
  em: EntityManager,
  tenantId: string,
  records: SelectedRecords,
): Promise<RemovedBatch> {
  switch (records.of) {
    case 'activities':
      return batchOf(records.of, await removeRemainingActivityLogs(em, tenantId, records.selection));
    case 'crdt':
      return untilNone(records, await removeRemainingRecords(em, tenantId, records.selection));
    case 'notifications':
      return batchOf(records.of, await removeRemainingNotifications(em, tenantId, records.selection));
    case 'recordings':
      return untilNone(records, await removeRemainingRecordings(em, tenantId, records.selection));
    case 'threads':
      return batchOf(records.of, await removeRemainingThreads(em, tenantId, records.selection));
  }
}

/** The batch of a selection that shrinks. */
const batchOf = <Kind extends string, Selection extends object>(
  of: Kind,
  { count, left }: { readonly count: number; readonly left: Selection | undefined },
) => ({ count, left: left && { of, selection: left } });

/** The batch of a selection that stays the same until it matches no record. */
const untilNone = (records: SelectedRecords, count: number): RemovedBatch => ({
  count,
  left: count > 0 ? records : undefined,
});
