import type { LockedLocation } from '../documents/lock-location.ts';
import type { PreparedActivityLog } from './activity-log.ts';
import type { SentActivityLog } from './activity-log-event.ts';
import type { ActivityLogOverwrite } from './covered-activity-logs.ts';
import { activityLogKey, type Existing } from './existing-activity-logs.ts';
import type { DifferingActivityLog } from './reordered-activity-logs.ts';

/** The records of one call, and their location. */
export interface LocatedCall {
  readonly location: LockedLocation & { readonly organizationId: string; readonly documentId: string };
  readonly activityLogs: readonly PreparedActivityLog[];
  readonly traceparent: string | undefined;
}

/** What to write. Each list is in the order of the request. */
export interface ActivityLogChanges {
  /** The new records and those that differ from the stored ones. Each emits an event. */
  readonly changed: readonly SentActivityLog[];
  /** Those of `changed` that have no row, or that replace one of `removed`. */
  readonly inserted: readonly SentActivityLog[];
  /** Those of `changed` that overwrite a row. */
  readonly overwritten: readonly SentActivityLog[];
  /** Surrogate keys of rows that an open removal would delete: each gives way to a new one, which outlasts the removal. */
  readonly removed: readonly string[];
  /** A record that callers can read is overwritten with other content. */
  readonly replacesVisible: boolean;
}

/** The overwrites of existing records. */
export function overwritesOf(
  calls: readonly LocatedCall[],
  existing: ReadonlyMap<string, Existing>,
): ActivityLogOverwrite[] {
  if (existing.size === 0) return [];
  return calls.flatMap(({ location: { organization, document }, activityLogs }) =>
    activityLogs.flatMap(({ id, body: { targetEntityId } }) => {
      const former = existing.get(activityLogKey(organization, id));
      return former === undefined ? [] : [{ id: former.id, organization, document, targetEntityId }];
    }),
  );
}

/** The records that differ from the stored ones only in their hash. `covered` is from `coveredActivityLogs`. */
export function differingOf(
  calls: readonly LocatedCall[],
  existing: ReadonlyMap<string, Existing>,
  covered: ReadonlyMap<string, boolean>,
): DifferingActivityLog[] {
  if (existing.size === 0) return [];
  return calls.flatMap(({ location, activityLogs }) =>
    activityLogs.flatMap((activityLog) => {
      const row = existing.get(activityLogKey(location.organization, activityLog.id));
      if (row === undefined || covered.get(row.id) === true) return [];
      if (isElsewhere({ activityLog, location }, row) || row.hash.equals(activityLog.hash)) return [];
      return [{ row: row.id, activityLog }];
    }),
  );
}

/**
 * Compares the records with the stored ones. `covered` is from `coveredActivityLogs`, `reordered` from
 * `reorderedActivityLogs`.
 */
export function changesOf(
  calls: readonly LocatedCall[],
  existing: ReadonlyMap<string, Existing>,
  covered: ReadonlyMap<string, boolean>,
  reordered: ReadonlySet<string>,
): ActivityLogChanges {
  const now = Date.now();
  if (existing.size === 0) {
    const sent = calls.flatMap((call) =>
      call.activityLogs.map((activityLog) => sentRecord(call, activityLog, now)),
    );
    return { changed: sent, inserted: sent, overwritten: [], removed: [], replacesVisible: false };
  }
  const changed: SentActivityLog[] = [];
  const inserted: SentActivityLog[] = [];
  const overwritten: SentActivityLog[] = [];
  const removed: string[] = [];
  let replacesVisible = false;
  for (const call of calls) {
    for (const activityLog of call.activityLogs) {
      const row = existing.get(activityLogKey(call.location.organization, activityLog.id));
      const former = row !== undefined && covered.get(row.id) === true ? undefined : row;
      const record = sentRecord(call, activityLog, former?.visible === true ? former.ts : now);
      if (!isChange(record, former, reordered)) continue;
      changed.push(record);
      replacesVisible ||= former?.visible === true;
      if (row !== undefined && !covered.has(row.id)) {
        overwritten.push(record);
        continue;
      }
      inserted.push(record);
      if (row !== undefined) removed.push(row.id);
    }
  }
  return { changed, inserted, overwritten, removed, replacesVisible };
}

const sentRecord = (
  { location, traceparent }: LocatedCall,
  activityLog: PreparedActivityLog,
  ts: number,
): SentActivityLog => ({ activityLog, location, at: activityLog.timestamp ?? ts, traceparent });

function isChange(
  record: SentActivityLog,
  former: Existing | undefined,
  reordered: ReadonlySet<string>,
): boolean {
  if (former === undefined || isElsewhere(record, former)) return true;
  return !former.hash.equals(record.activityLog.hash) && !reordered.has(former.id);
}

/** Whether a record has another document or time than its row. */
const isElsewhere = (
  { activityLog: { timestamp }, location }: Pick<SentActivityLog, 'activityLog' | 'location'>,
  former: Existing,
): boolean => former.document !== location.document || (timestamp !== undefined && timestamp !== former.ts);
