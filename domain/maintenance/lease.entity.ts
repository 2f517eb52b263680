import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** Work that one process of the deployment does at a time. After `expiresAt` any process may take it over. */
export const LeaseSchema = defineEntity({
  name: 'Lease',
  tableName: 'lease',
  properties: {
    name: p.text().primary(),
    /** Random id of the process. */
    holder: p.text(),
    expiresAt: moment(),
  },
});
