import { z } from 'zod';
import { waitingStates } from '../../domain/deletion/export/waiting-messages.ts';
import { namesOf } from '../../domain/names-of.ts';
import { deliveryChannel } from '../notifications/delivery.ts';
import { milliseconds } from '../schemas.ts';

const notification = {
  notificationId: z.string().describe('Id of the notification.'),
  documentId: z.string().describe('Id of the document of the notification.'),
};

export const exportedNamedRecipient = z.strictObject({
  ...notification,
  timestamp: z.int().describe('When the notification was added, in milliseconds since the epoch.'),
  email: z.string().nullable().describe('E-mail address of the user, as sent. Null when none was sent.'),
});

export const exportedWaitingMessage = z.strictObject({
  ...notification,
  channel: deliveryChannel,
  status: z.enum(namesOf(waitingStates)).describe('`waiting`: for the delay. `batching`: for a window.'),
  dueAt: milliseconds.describe('When the delay ends, in milliseconds since the epoch.'),
});
