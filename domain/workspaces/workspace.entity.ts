import { defineEntity, p } from '@mikro-orm/core';

const schema = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.bigint('string').primary(),
    publicId: p.text(),
    name: p.text(),
    ownerEmail: p.text(),
    ownerName: p.text().default(''),
    avatar: p.text().default(''),
    tokenHash: p.blob().$type<Buffer>(),
    tokenEnc: p.blob().$type<Buffer>(),
    createdAt: p
      .datetime()
      .columnType('timestamptz')
      .onCreate(() => new Date()),
  },
});

/** Owns API keys. Its token is kept twice: as a hash to look it up, and sealed because it can be read again. */
export class Workspace extends schema.class {}
schema.setClass(Workspace);
