import { addActivities } from './add-activities.ts';
import { deleteActivities } from './delete-activities.ts';
import { getActivities } from './get-activities.ts';

import { updateActivities } from './update-activities.ts';

export const activityEndpoints = [addActivities, getActivities, updateActivities, deleteActivities] as const;
