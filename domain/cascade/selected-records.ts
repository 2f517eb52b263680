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
} from '../notifications/remaining-notifications.ts';
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
    case 'activities': {
      const { count, left } = await removeRemainingActivityLogs(em, tenantId, records.selection);
      return { count, left: left && { of: 'activities', selection: left } };
    }
    case 'notifications': {
      const { count, left } = await removeRemainingNotifications(em, tenantId, records.selection);
      return {
        count,
        left: left === records.selection ? records : left && { of: 'notifications', selection: left },
      };
    }
    case 'threads': {
      const { count, left } = await removeRemainingThreads(em, tenantId, records.selection);
      return {
        count,
        left: left === records.selection ? records : left && { of: 'threads', selection: left },
      };
    }
    default: {
      const count = await removeNext(em, tenantId, records);
      return { count, left: count > 0 ? records : undefined };
    }
  }
}

/** Returns the number of removed records, 0 at the end. */
async function removeNext(
  em: EntityManager,
  tenantId: string,
  records: Exclude<SelectedRecords, { of: 'activities' | 'notifications' | 'threads' }>,
): Promise<number> {
  switch (records.of) {
    case 'crdt':
      return removeRemainingRecords(em, tenantId, records.selection);
    case 'recordings':
      return removeRemainingRecordings(em, tenantId, records.selection);
  }
}
