import { defineEntity, p } from '@mikro-orm/core';

/** The retention of audit entries: one row, which only `migrate` writes. */
export const AuditRetentionSchema = defineEntity({
  name: 'AuditRetention',
  tableName: 'audit_retention',
  properties: {
    id: p.integer().primary().autoincrement(false).default(1).check('id = 1'),
    days: p.integer(),
  },
});
