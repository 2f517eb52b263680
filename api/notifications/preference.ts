import { z } from 'zod';
import { channels, levels } from '../../domain/notifications/preferences.ts';

export const level = z.enum(levels);

/** User notification preference (seed, "Resources"); at least one channel. */
export const preferenceInput = z
  .strictObject({ inbox: level.optional(), email: level.optional(), slack: level.optional() })
  .superRefine((config, context) => {
    if (channels.every((channel) => config[channel] === undefined)) {
      const message = `At least one of ${channels.join(', ')} must be provided.`;
      context.addIssue({ code: 'custom', message });
    }
  });

export const preferenceAnswer = z.strictObject({ inbox: level, email: level, slack: level });
