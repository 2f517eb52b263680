import { addNotification } from './add-notification.ts';
import { deleteNotifications } from './delete-notifications.ts';
import { explainNotification } from './explain-notification.ts';
import { getDeliveries } from './get-deliveries.ts';
import { getNotifications } from './get-notifications.ts';
import { getPreferences } from './get-preferences.ts';
import { setPreferences, setPreferencesV1 } from './set-preferences.ts';
import { updateNotifications } from './update-notifications.ts';

export const notificationEndpoints = [
  addNotification,
  getNotifications,
  updateNotifications,
  deleteNotifications,
  getPreferences,
  setPreferencesV1,
  setPreferences,
  getDeliveries,
  explainNotification,
] as const;
