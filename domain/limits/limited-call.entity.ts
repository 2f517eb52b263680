import { defineEntity, p } from '@mikro-orm/core';
import { surrogateKey } from '../columns.ts';

export const limitedKinds = ['ai_call', 'endpoint_test', 'email_test', 'slack_test'] as const;
/** What a key may have a limited number of at a time. */
export type LimitedKind = (typeof limitedKinds)[number];

/** A call that runs or waits, in the order of arrival at all processes. */
export const LimitedCallSchema = defineEntity({
  name: 'LimitedCall',
  tableName: 'limited_call',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    kind: p.text().$type<LimitedKind>(),
    /** `process.id`. The call ends with the heartbeats of its process. */
    process: p.text(),
  },
  indexes: [{ name: 'limited_call_key', properties: ['apiKeyId', 'kind', 'id'] }],
});
