import { defineEntity, p } from '@mikro-orm/core';
import { bytes, createdAt, moment, reference } from '../columns.ts';
import { ApiKeySchema } from './api-key.entity.ts';

export const AuthTokenSchema = defineEntity({
  name: 'AuthToken',
  tableName: 'auth_token',
  properties: {
    tokenHash: bytes().primary(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    tokenEnc: bytes(),
    name: p.text(),
    createdAt: createdAt(),
    expiresAt: moment().nullable(),
  },
  indexes: [
    { name: 'auth_token_key', properties: ['apiKeyId'] },
    { name: 'auth_token_expiry', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

/** The secret half of an API key's credentials. A reset deletes the row or sets its expiry. */
export class AuthToken extends AuthTokenSchema.class {}
AuthTokenSchema.setClass(AuthToken);
