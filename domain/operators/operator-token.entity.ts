import { defineEntity, p } from '@mikro-orm/core';
import { bytes, createdAt, moment, surrogateKey } from '../columns.ts';
import type { OperatorScope } from '../tenancy/operator-scopes.ts';

export const OperatorTokenSchema = defineEntity({
  name: 'OperatorToken',
  tableName: 'operator_token',
  properties: {
    id: surrogateKey(),
    publicId: p.text().unique(),
    name: p.text(),
    scope: p.text().$type<OperatorScope>(),
    /** Whether the console may use it to call operations of API keys. */
    actsForKeys: p.boolean().default(false),
    tokenHash: bytes().unique(),
    createdAt: createdAt(),
    expiresAt: moment().nullable(),
    lastUsedAt: moment().nullable(),
    revokedAt: moment().nullable(),
  },
  indexes: [{ name: 'operator_token_unrevoked', properties: ['id'], where: 'revoked_at is null' }],
});

/** A stored operator token. Only its hash is stored. `lastUsedAt` is exact to the hour. */
export class OperatorToken extends OperatorTokenSchema.class {}
OperatorTokenSchema.setClass(OperatorToken);
