/** How documents and folders may be reached where nothing else is said. */
export const accessTypes = ['public', 'organizationPrivate', 'restricted'] as const;
export type AccessType = (typeof accessTypes)[number];

/** What an API key has switched on; read with the credentials of every request, so never out of date. */
export interface Switches {
  readonly activityLogs: boolean;
  readonly activityLogsImmutable: boolean;
  readonly notificationService: boolean;
  readonly advancedWebhooks: boolean;
  /** Advanced webhooks or the basic one are on: events may have someone to be told. */
  readonly webhooks: boolean;
  /** The customer's own permission provider decides every access. */
  readonly permissionProvider: boolean;
  readonly defaultDocumentAccessType: AccessType;
  readonly defaultFolderAccessType: AccessType;
}

/**
 * The owner of every row that a request may see. `id` is the surrogate key, `keyId` the public id (`akid_…`) for logs and
 * Temporal, `apiKey` the credential itself.
 */
export interface Tenant {
  readonly id: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly switches: Switches;
}
