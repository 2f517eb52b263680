import { z } from 'zod';
import { channels, levels } from '../../domain/notifications/preferences.ts';
import { atLeastOne } from '../rules.ts';

const level = z.enum(levels);

/** User notification preference; at least one channel. */
export const preferenceInput = z
  .strictObject({
    inbox: level.optional().describe('Level of the inbox. Absent: kept.'),
    email: level.optional().describe('Level for e-mail. Absent: kept.'),
    slack: level.optional().describe('Level for Slack. Absent: kept.'),
  })
  .check(atLeastOne(channels, `At least one of ${channels.join(', ')} must be provided.`));

export const preferenceResponse = z
  .strictObject({
    inbox: level.describe('Level of the inbox.'),
    email: level.describe('Level for e-mail.'),
    slack: level.describe('Level for Slack.'),
  })
  .meta({ id: 'NotificationPreference' });
