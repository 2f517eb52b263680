import { defineEntity } from '@mikro-orm/core';
import { usageColumns } from './usage-columns.ts';

/** Usage of a key in an hour of the last 48. Every process adds to the row of the current hour. */
export const UsageHourSchema = defineEntity({
  name: 'UsageHour',
  tableName: 'usage_hour',
  properties: usageColumns(),
  indexes: [{ name: 'usage_hour_start', properties: ['startsAt'] }],
});
