import { activityLogRecords } from '../activity-logs/activity-log-records.ts';
import { executionRecords } from '../agents/execution-records.ts';
import { commentRecords, reactionRecords, threadRecords } from '../comments/comment-records.ts';
import { collaborativeRecords } from '../crdt/crdt-records.ts';
import type { RecordKind } from '../documents/record-kind.ts';
import { accessRecords } from '../members/access-records.ts';
import { notificationRecords, preferenceRecords } from '../notifications/notification-records.ts';
import { recordingRecords } from '../recordings/recording-records.ts';

/** The kinds of records of a document. Children before parents: earlier kinds may refer to later ones. */
export const recordKinds: readonly RecordKind[] = [
  executionRecords,
  collaborativeRecords,
  activityLogRecords,
  threadRecords,
  commentRecords,
  reactionRecords,
  recordingRecords,
  notificationRecords,
  preferenceRecords,
  accessRecords,
];
