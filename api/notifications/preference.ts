import { z } from 'zod';
import { channels, levels } from '../../domain/notifications/preferences.ts';
import { atLeastOne } from '../rules.ts';

export const level = z.enum(levels);

/** User notification preference; at least one channel. */
export const preferenceInput = z
  .strictObject({ inbox: level.optional(), email: level.optional(), slack: level.optional() })
  .check(atLeastOne(channels, `At least one of ${channels.join(', ')} must be provided.`));

export const preferenceResponse = z.strictObject({ inbox: level, email: level, slack: level });
