import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** The last success of each step of the sweep. */
export const SweepStepSchema = defineEntity({
  name: 'SweepStep',
  tableName: 'sweep_step',
  properties: {
    name: p.text().primary(),
    succeededAt: moment(),
    /**
     * The last time at which no lock prevented the step from creating, dropping or emptying a partition; null for steps
     * that alter none.
     */
    rotatedAt: moment().nullable(),
  },
});
