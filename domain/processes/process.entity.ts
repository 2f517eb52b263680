import { defineEntity, p } from '@mikro-orm/core';
import type { ProcessKind } from '../../platform/process/process-kinds.ts';
import { moment } from '../columns.ts';

/** A running process of the deployment. The sweep deletes rows without a heartbeat. */
export const ProcessSchema = defineEntity({
  name: 'Process',
  tableName: 'process',
  properties: {
    id: p.text().primary(),
    kind: p.text().$type<ProcessKind>(),
    version: p.text(),
    buildId: p.text(),
    host: p.text(),
    /** Kinds of work excluded by `STEWARD_PAUSED`; empty for processes of earlier releases. */
    paused: p.array().$type<string[]>().defaultRaw("'{}'::text[]"),
    startedAt: moment(),
    heartbeatAt: moment().defaultRaw('now()'),
  },
  indexes: [{ name: 'process_heartbeat', properties: ['heartbeatAt'] }],
});
