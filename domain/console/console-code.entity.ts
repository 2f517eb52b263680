import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';

/** The code of a sign-in link, for one sign-in to a workspace. Only its hash is stored. */
export const ConsoleCodeSchema = defineEntity({
  name: 'ConsoleCode',
  tableName: 'console_code',
  properties: {
    codeHash: bytes().primary(),
    workspaceId: p.bigint('string'),
    expiresAt: moment(),
  },
  indexes: [{ name: 'console_code_expiry', properties: ['expiresAt'] }],
});
