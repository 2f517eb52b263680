import { z } from 'zod';
import { logLevels } from '../../../platform/logging/logger.ts';
import type { SharedLevel } from '../../../domain/processes/log-level.ts';
import { milliseconds } from '../../schemas.ts';

export const logLevel = z.enum(['configured', ...logLevels]).meta({
  description: 'Minimum level that is logged; `configured` is the `LOG_LEVEL` of each process.',
});

export const logLevelResponse = z
  .strictObject({
    level: logLevel,
    endsAt: milliseconds
      .nullable()
      .describe(
        'When the level returns to `configured`, in milliseconds since the epoch. Null: the level does not expire.',
      ),
  })
  .meta({ id: 'LogLevelState' });

export const logLevelView = (shared: SharedLevel | undefined): z.input<typeof logLevelResponse> =>
  shared ?? { level: 'configured', endsAt: null };
