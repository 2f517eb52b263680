import { addActivityLogs } from './add-activity-logs.ts';
import { deleteActivityLogs } from './delete-activity-logs.ts';
import { getActivityLogs } from './get-activity-logs.ts';
import { updateActivityLogs } from './update-activity-logs.ts';

export const activityLogEndpoints = [
  addActivityLogs,
  getActivityLogs,
  updateActivityLogs,
  deleteActivityLogs,
] as const;
