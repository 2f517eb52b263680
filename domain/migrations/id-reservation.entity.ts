import { defineEntity, p } from '@mikro-orm/core';
import { byteText } from '../columns.ts';

/** A reserved document id; an open migration has two. */
export const IdReservationSchema = defineEntity({
  name: 'IdReservation',
  tableName: 'id_reservation',
  properties: {
    orgId: p.bigint('string').primary(),
    extId: byteText().primary(),
    jobId: p.bigint('string'),
  },
  indexes: [{ name: 'id_reservation_job', properties: ['jobId'] }],
});
