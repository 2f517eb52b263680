import type { Endpoint } from '../http/endpoint.ts';

/**
 * Operations of API keys whose requests and responses contain only ids, states, numbers and settings. They contain no
 * names, texts and metadata of customers and their users, no payloads and no secrets. Unlisted operations count as
 * content.
 */
const withoutContent: ReadonlySet<string> = new Set([
  'jobs/get',
  'jobs/list',
  'jobs/cancel',
  'overview/get',
  'usage/get',
  'organizations/documents/count/get',
  'organizations/documents/migrate/status',
  'users/count/get',
  'workspace/domains/get',
  'workspace/activityconfig/get',
  'workspace/advancedwebhookconfig/get',
  'workspace/apikeyconfig/get',
  'workspace/notificationconfig/get',
  'workspace/advancedwebhook/endpoints/recover',
  'workspace/advancedwebhook/endpoints/health/get',
  'workspace/advancedwebhook/endpoints/stats/get',
  'workspace/advancedwebhook/eventtypes/get',
]);

/** Whether an operator may call an operation of an API key without seeing or writing content. */
export const showsNoContent = ({ paths }: Pick<Endpoint, 'paths'>): boolean =>
  withoutContent.has(paths[0].slice('/v1/'.length));
