import { defineEntity, p } from '@mikro-orm/core';

const schema = defineEntity({
  name: 'AuthToken',
  tableName: 'auth_token',
  properties: {
    tokenHash: p.blob().$type<Buffer>().primary(),
    apiKeyId: p.bigint('string'),
    tokenEnc: p.blob().$type<Buffer>(),
    name: p.text(),
    createdAt: p
      .datetime()
      .columnType('timestamptz')
      .onCreate(() => new Date()),
    expiresAt: p.datetime().columnType('timestamptz').nullable(),
  },
});

/**
 * The secret half of an API key's credentials. A reset deletes the row, so the former one is refused at once, or sets when
 * it expires.
 */
export class AuthToken extends schema.class {}
schema.setClass(AuthToken);
