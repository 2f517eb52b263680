import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';

/** Owners of idempotency keys, by number in the database, never reused. */
export const scopeNumbers = { operator: 1, workspace: 2, apiKey: 3 } as const;

/** A response for repeated calls. `httpStatus`, its `code`, is null while a call with outside steps leases the key. */
export const IdempotencySchema = defineEntity({
  name: 'Idempotency',
  tableName: 'idempotency',
  properties: {
    scope: p.enum(scopeNumbers).primary(),
    scopeId: p.bigint('string').primary(),
    keyHash: bytes().primary(),
    requestHash: bytes(),
    httpStatus: p.smallint().nullable(),
    responseEnc: bytes().nullable(),
    leaseUntil: moment().nullable(),
    createdAt: moment().defaultRaw('now()'),
  },
  indexes: [{ name: 'idempotency_age', properties: ['createdAt'], type: 'brin' }],
});
