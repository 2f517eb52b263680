import { containerExecutions } from '../agents/execution-records.ts';
import { containerAudience } from '../comments/comment-records.ts';
import type { ContainerRecords } from '../documents/record-kind.ts';
import { containerGroups } from '../groups/group-records.ts';
import { containerAccess } from '../members/access-records.ts';
import { containerDeliveries } from '../notices/remove-notices.ts';
import { containerPreferences } from '../notifications/notification-records.ts';

/** The records of folders and organizations other than subfolders and documents, children before parents. */
export const containerRecords: readonly ContainerRecords[] = [
  containerExecutions,
  containerAccess,
  ...containerGroups,
  containerAudience,
  containerPreferences,
  containerDeliveries,
];
