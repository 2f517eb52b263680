import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/**
 * The Slack account of a user, as found at Slack; a null id: Slack has none. Invalid for another version of the settings.
 */
export const SlackIdentitySchema = defineEntity({
  name: 'SlackIdentity',
  tableName: 'slack_identity',
  properties: {
    userId: p.bigint('string').primary().autoincrement(false),
    apiKeyId: p.bigint('string'),
    configVersion: p.integer(),
    slackId: p.text().nullable(),
    foundAt: moment(),
  },
});
