import { defineEntity, p } from '@mikro-orm/core';
import { byteText, json } from '../columns.ts';
import type { NamedUser } from './comment.entity.ts';

/** A reaction as stored. */
export interface ReactionBody {
  readonly from: NamedUser;
}

/** A user's reaction to a comment. `at` is in milliseconds. */
export const ReactionSchema = defineEntity({
  name: 'Reaction',
  tableName: 'reaction',
  properties: {
    commentId: p.bigint('string').primary(),
    icon: byteText().primary(),
    userId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    at: p.bigint('string'),
    body: json<ReactionBody>(),
  },
  indexes: [{ name: 'reaction_user', properties: ['userId', 'orgId', 'commentId'] }],
});
