import { addActivities } from './add-activities.ts';
import { deleteActivities } from './delete-activities.ts';
import { getActivities } from './get-activities.ts';

export const activityEndpoints = [addActivities, getActivities, deleteActivities] as const;
