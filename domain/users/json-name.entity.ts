import { defineEntity, p } from '@mikro-orm/core';

/** Kinds of records with free JSON, as `json_name` numbers them; a number is never given twice. */
export const jsonKinds = {
  activity: 1,
  notification: 2,
  agentExecution: 3,
  organization: 4,
  folder: 5,
  document: 6,
  user: 7,
  webhookEndpoint: 8,
} as const;
export type JsonKind = keyof typeof jsonKinds;

/** Which blocks of consecutive records hold a name in their free JSON. `nameHash` has 64 bits: text, because a number would round it. */
export const JsonNameSchema = defineEntity({
  name: 'JsonName',
  tableName: 'json_name',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    kind: p.enum(jsonKinds).primary(),
    nameHash: p.bigint('string').primary(),
    block: p.bigint('string').primary(),
  },
});
