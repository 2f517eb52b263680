import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { jsonKinds } from './json-name.entity.ts';

export const jsonNameBuildKinds = { ...jsonKinds, event: 9, attempt: 10 } as const;

/** Progress of the name index build over rows of earlier releases. `position`: last indexed row; `endedAt`: complete. */
export const JsonNameBuildSchema = defineEntity({
  name: 'JsonNameBuild',
  tableName: 'json_name_build',
  properties: {
    kind: p.enum(jsonNameBuildKinds).primary().autoincrement(false),
    position: p.text().nullable(),
    endedAt: moment().nullable(),
  },
  indexes: [{ name: 'json_name_build_open', properties: ['kind'], where: 'ended_at is null' }],
});
