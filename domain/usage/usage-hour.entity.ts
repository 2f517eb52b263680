import { defineEntity } from '@mikro-orm/core';
import { usageColumns } from './usage-columns.ts';

/** What a key used in an hour of the last 48; every process adds to the row of the present hour. */
export const UsageHourSchema = defineEntity({
  name: 'UsageHour',
  tableName: 'usage_hour',
  properties: usageColumns(),
  indexes: [{ name: 'usage_hour_start', properties: ['startsAt'] }],
});
