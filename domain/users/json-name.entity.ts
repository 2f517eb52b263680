import { defineEntity, p } from '@mikro-orm/core';

/** Numbers in `json_name` of record kinds with free JSON. Never reuse a number. */
export const jsonKinds = {
  activity: 1,
  notification: 2,
  agentExecution: 3,
  organization: 4,
  folder: 5,
  document: 6,
  user: 7,
  webhookEndpoint: 8,
  // 9 and 10 are builds: see `jsonNameBuildKinds`.
  recording: 13,
  thread: 11,
  comment: 12,
} as const;
export type JsonKind = keyof typeof jsonKinds;

/**
 * Blocks of consecutive records whose free JSON holds a name. `nameHash` has 64 bits: a string, because a number would
 * round it.
 */
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
