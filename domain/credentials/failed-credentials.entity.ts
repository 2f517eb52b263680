import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';

/** Failed credentials of one caller in the minute that began with the first of them. */
export const FailedCredentialsSchema = defineEntity({
  name: 'FailedCredentials',
  tableName: 'failed_credentials',
  properties: {
    /** SHA-256 of the address or network. */
    caller: bytes().primary(),
    failures: p.integer(),
    endsAt: moment(),
  },
  indexes: [{ name: 'failed_credentials_end', properties: ['endsAt'] }],
});
