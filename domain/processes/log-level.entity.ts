import { defineEntity, p } from '@mikro-orm/core';
import type { LogLevel } from '../../platform/logging/logger.ts';
import { moment } from '../columns.ts';

/** The log level that an operator has set for every process. At most one row. */
export const LogLevelSchema = defineEntity({
  name: 'LogLevel',
  tableName: 'log_level',
  properties: {
    id: p.smallint().primary().autoincrement(false).check('id = 1'),
    level: p.text().$type<LogLevel>(),
    endsAt: moment().nullable(),
  },
});
