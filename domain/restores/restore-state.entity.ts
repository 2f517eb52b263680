import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** The epoch of webhook sequences, and the database for which it began. At most one row. */
export const RestoreStateSchema = defineEntity({
  name: 'RestoreState',
  tableName: 'restore_state',
  properties: {
    id: p.smallint().primary().autoincrement(false).check('id = 1'),
    /** Changes when a dump or a base backup is restored and when a standby is promoted. */
    identity: p.text(),
    epoch: p.bigint('string'),
    beganAt: moment().defaultRaw('now()'),
  },
});
