import { containerExecutions } from '../agents/execution-records.ts';
import type { ContainerRecords } from '../documents/record-kind.ts';
import { containerGroups } from '../groups/group-records.ts';
import { containerAccess } from '../members/access-records.ts';
import { containerPreferences } from '../notifications/notification-records.ts';

/** Children before parents. All that a place holds is told by this list, by the folders and by the kinds of records of documents. */
export const containerRecords: readonly ContainerRecords[] = [
  containerExecutions,
  containerAccess,
  ...containerGroups,
  containerPreferences,
];
