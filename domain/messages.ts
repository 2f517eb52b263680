/** Message texts of the domain. Customers' code may compare most of them, so changing one breaks callers (docs/versioning.md). */
export const messages = {
  userDeletionRunning: 'User data deletion is in progress.',
  receiptNotValid: 'receipt must be an unmodified receipt of this API key.',
  tooManyTokens: (max: number) =>
    `An API key has at most ${String(max)} auth tokens at once. Reset with overlapSeconds 0 to end all former ones.`,
  tooManyOperatorTokens: (max: number) =>
    `There are at most ${String(max)} valid operator tokens. Revoke one with POST /v2/operator/tokens/revoke.`,
  operatorTokenMissing: 'Operator token not found.',
  tooManyScopedTokens: (max: number) =>
    `An API key has at most ${String(max)} valid scoped auth tokens. Revoke one with POST /v2/workspace/authtokens/revoke.`,
  authTokenMissing: 'Auth token not found.',
  unavailable: 'Service is temporarily unavailable.',
  outgoingPaused: 'Outgoing calls are paused by the operator of this deployment.',
  deadline: 'The call exceeded its time limit.',
  aborted: 'Another call changed the same records. Try again.',
  metadataTooLarge: 'A record holds at most 64 KiB of free metadata. Send members as null to remove them.',
  organizationMissing: 'Organization does not exist',
  organizationMissingFlag:
    'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
  organizationDisabled: 'Organization is disabled.',
  documentMissing: 'Document does not exist',
  documentMissingFlag:
    'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
  documentExists: 'Document already exists',
  documentDisabled: 'Document is disabled.',
  folderMissing: 'Folder does not exist.',
  folderMissingFlag:
    'Folder does not exist. Add it with POST /v2/organizations/folders/add or send createFolder: true.',
  recordingMissing: 'Recording not found.',
  suppressionMissing: 'Suppression does not exist.',
  notificationMissing: 'Notification does not exist.',
  jobMissing: 'Job not found.',
  jobCancelled: 'Job cancelled successfully.',
  jobNotCancellable: 'Job can no longer be cancelled.',
  jobCompleted: 'The job has completed.',
  jobReplaced: 'A later job has replaced this one.',
  jobNotRetried: 'A failed job of this kind cannot be retried.',
  jobSuspended: (keyId: string) =>
    `The API key ${keyId} or its workspace is disabled. Enable both: open jobs then continue, and failed ones can be retried.`,
  migrationNotRetried:
    'A failed migration has changed nothing and freed both ids. Start another with POST /v2/organizations/documents/migrate.',
  deletionNotRetried:
    'A canceled deletion has ended with its receipt. Start another with POST /v2/users/data/delete.',
  apiKeyMissing: 'API key not found.',
  apiKeyDisabled: 'API key is disabled.',
  apiKeyDisabledByOperator: 'An operator disabled the API key. Only an operator can enable it.',
  workspaceMissing: 'Workspace not found.',
  workspaceDisabled: 'Workspace is disabled.',
  migrationMissing: 'Migration not found.',
  migrationRunning: 'A migration of this document is already running.',
  migrationTaken: 'newDocumentId is already taken.',
  tooManyAiCalls: 'Too many AI calls of this key are waiting. Try again in a moment.',
  activityLogsOff:
    'Activity service is not enabled. Enable it with POST /v2/workspace/activityconfig/update.',
  activityLogsImmutable: 'Activity logs are immutable.',
  crdtExists: 'CRDT data already exists for this editor ID.',
  crdtMissing: 'No CRDT data found for this editor ID.',
  executionMissing: 'Execution not found.',
  executionExists: 'Execution already exists.',
  executionEnded: 'Execution has already ended.',
  advancedWebhooksNotConfigured:
    'Advanced webhooks are not configured for this workspace. Enable them first via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.',
  advancedWebhooksDisabled:
    'Advanced webhooks are disabled for this workspace. Enable them via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.',
  webhookProviderFailed: 'Advanced webhook provider request failed.',
  webhookUidTaken: 'uid is already taken.',
  webhookEndpointsFull: (max: number) => `An API key may have ${String(max)} endpoints.`,
  webhookEndpointDisabled: 'Endpoint is disabled.',
  webhookMessageMissing: 'Message not found.',
  webhookEndpointMissing: 'Endpoint not found.',
  eventMissing: 'Event not found.',
} as const;
