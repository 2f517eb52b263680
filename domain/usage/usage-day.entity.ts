import { defineEntity } from '@mikro-orm/core';
import { usageColumns } from './usage-columns.ts';

/** What a key used on a day, without the hours that still have rows of their own. */
export const UsageDaySchema = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_day',
  properties: usageColumns(),
  indexes: [{ name: 'usage_day_start', properties: ['startsAt'] }],
});
