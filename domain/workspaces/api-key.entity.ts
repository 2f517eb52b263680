import { defineEntity, p } from '@mikro-orm/core';

/** `testing` or `production`: a name for people, without effect on what the key may do. */
export const apiKeyTypes = ['testing', 'production'] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];

const schema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.bigint('string').primary(),
    workspaceId: p.bigint('string'),
    keyHash: p.blob().$type<Buffer>(),
    keyEnc: p.blob().$type<Buffer>(),
    name: p.text(),
    type: p.text().$type<ApiKeyType>(),
    ownerEmail: p.text(),
    allowedDomains: p.array(),
    createdAt: p
      .datetime()
      .columnType('timestamptz')
      .onCreate(() => new Date()),
  },
});

/** A tenant: every row of customer data belongs to exactly one. */
export class ApiKey extends schema.class {}
schema.setClass(ApiKey);
