import { defineEntity } from '@mikro-orm/core';
import { usageColumns } from './usage-columns.ts';

/** Usage of a key on a day, without the hours that still have rows in `usage_hour`. */
export const UsageDaySchema = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_day',
  properties: usageColumns(),
  indexes: [{ name: 'usage_day_start', properties: ['startsAt'] }],
});
