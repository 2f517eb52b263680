/** Segments that run two words together, or whose plural the other paths of the resource have. */
const spellings: Readonly<Record<string, string>> = {
  activityconfig: 'activityConfig',
  advancedwebhook: 'advancedWebhook',
  advancedwebhookconfig: 'advancedWebhookConfig',
  apikey: 'apiKeys',
  apikeyconfig: 'apiKeyConfig',
  apikeys: 'apiKeys',
  auditlog: 'auditLog',
  authtoken: 'authTokens',
  authtokens: 'authTokens',
  commentannotations: 'commentAnnotations',
  disablestate: 'disableState',
  emailconfig: 'emailConfig',
  emailsuppressions: 'emailSuppressions',
  eventtypes: 'eventTypes',
  execution: 'executions',
  loglevel: 'logLevel',
  notificationconfig: 'notificationConfig',
  permissionproviderconfig: 'permissionProviderConfig',
  slackconfig: 'slackConfig',
  usergroups: 'userGroups',
  webhookconfig: 'webhookConfig',
};

/** Operations below the path of another operation: an id may not begin with another id and a dot. */
const ofOwnVerb: Readonly<Record<string, string>> = {
  'organizations/documents/migrate/status': 'documents.getMigrationStatus',
  'users/data/delete/status': 'users.data.getDeletionStatus',
  'users/data/delete/receipt/verify': 'users.data.verifyReceipt',
};

/** Resources that paths nest below `organizations/`, and ids do not. */
const nested = /^organizations\/(?=(?:documents|folders|usergroups)\/)/;

/**
 * Returns the id of the operation at a path, by resource and verb: `documents.migrate` for
 * `/v2/organizations/documents/migrate`. Ids of `/v1` begin with `v1.`. The OpenAPI document and the client use them.
 */
export function operationIdOf(path: string): string {
  const [, version = '', ...segments] = path.split('/');
  const operation = segments.join('/');
  const id = ofOwnVerb[operation] ?? operation.replace(nested, '').split('/').map(spelled).join('.');
  return version === 'v1' ? `v1.${id}` : id;
}

const spelled = (segment: string): string =>
  spellings[segment] ?? segment.replaceAll(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
