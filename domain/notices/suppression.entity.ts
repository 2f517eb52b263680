import { defineEntity, p } from '@mikro-orm/core';
import { bytes, createdAt } from '../columns.ts';

/** Numbers in the database, never reused. */
export const suppressionReasons = { bounced: 1, complained: 2, manual: 3 } as const;

/** An address that a key sends no e-mail to, as a keyed hash: the list reveals no address. */
export const MailSuppressionSchema = defineEntity({
  name: 'MailSuppression',
  tableName: 'mail_suppression',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    addressHash: bytes().primary(),
    reason: p.enum(suppressionReasons),
    at: createdAt(),
  },
});
