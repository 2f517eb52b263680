import { activityLogRecords } from '../activity-logs/activity-log-records.ts';
import { executionRecords } from '../agents/execution-records.ts';
import { crdtRecords } from '../crdt/crdt-records.ts';
import type { RecordKind } from '../documents/record-kind.ts';
import { accessRecords } from '../members/access-records.ts';
import { notificationRecords, preferenceRecords } from '../notifications/notification-records.ts';

/** The kinds of records of a document. Children before parents: earlier kinds may refer to later ones. */
export const recordKinds: readonly RecordKind[] = [
  executionRecords,
  crdtRecords,
  activityLogRecords,
  notificationRecords,
  preferenceRecords,
  accessRecords,
];
