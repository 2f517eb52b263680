import { defineEntity, p } from '@mikro-orm/core';
import { bytes, computed, createdAt, moment, reference } from '../columns.ts';
import type { TokenScope } from '../tenancy/token-scopes.ts';
import { ApiKeySchema } from './api-key.entity.ts';

export const AuthTokenSchema = defineEntity({
  name: 'AuthToken',
  tableName: 'auth_token',
  properties: {
    tokenHash: bytes().primary(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    tokenEnc: bytes().nullable(),
    name: p.text(),
    createdAt: createdAt(),
    expiresAt: moment().nullable(),
    publicId: computed("'atk_' || left(encode(sha256(token_hash), 'hex'), 32)"),
    scopes: p.array<TokenScope>().nullable(),
    lastUsedAt: moment().nullable(),
  },
  indexes: [
    { name: 'auth_token_key', properties: ['apiKeyId'] },
    { name: 'auth_token_expiry', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

/**
 * The secret half of an API key's credentials. A token without scopes may call every operation and can be read again; a
 * reset deletes its row or sets its expiry. A scoped token may call the operations of its scopes, and only its hash is
 * stored; `lastUsedAt` is exact to the hour.
 */
export class AuthToken extends AuthTokenSchema.class {}
AuthTokenSchema.setClass(AuthToken);
