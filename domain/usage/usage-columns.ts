import { p } from '@mikro-orm/core';
import { moment, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';

const count = () => p.bigint('string').defaultRaw('0');

/** Columns of a period of a key's usage, in UTC. */
export const usageColumns = () => ({
  apiKeyId: reference(ApiKeySchema, 'api_key_id').primary(),
  startsAt: moment().primary(),
  requests: count(),
  errors: count(),
  bytesIn: count(),
  bytesOut: count(),
  events: count(),
  deliveries: count(),
  aiCalls: count(),
  aiInputTokens: count(),
  aiOutputTokens: count(),
  organizations: count(),
  folders: count(),
  documents: count(),
  users: count(),
  userGroups: count(),
  activityLogs: count(),
  notifications: count(),
  crdtRecords: count(),
  agentExecutions: count(),
  commentAnnotations: count(),
  comments: count(),
  reactions: count(),
  recordings: count(),
});
