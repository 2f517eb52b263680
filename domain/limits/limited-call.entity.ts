import { defineEntity, p } from '@mikro-orm/core';
import { surrogateKey } from '../columns.ts';

const limitedKinds = ['ai_call', 'endpoint_test', 'email_test', 'slack_test'] as const;
/** The kinds of calls of which a key may have a limited number at a time. */
export type LimitedKind = (typeof limitedKinds)[number];

/** A running or waiting call, in the order of arrival over all processes. */
export const LimitedCallSchema = defineEntity({
  name: 'LimitedCall',
  tableName: 'limited_call',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    kind: p.text().$type<LimitedKind>(),
    /** `process.id`. The call stops counting when this process sends no heartbeats. */
    process: p.text(),
  },
  indexes: [{ name: 'limited_call_key', properties: ['apiKeyId', 'kind', 'id'] }],
});
