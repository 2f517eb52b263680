import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** The last success of each step of the sweep. */
export const SweepStepSchema = defineEntity({
  name: 'SweepStep',
  tableName: 'sweep_step',
  properties: {
    name: p.text().primary(),
    succeededAt: moment(),
    /** When no lock last kept a partition from being created, dropped or emptied; null for steps that alter none. */
    rotatedAt: moment().nullable(),
  },
});
