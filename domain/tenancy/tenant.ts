import type { CallerLimits } from './key-limits.ts';

/** Access to documents and folders without a grant or membership. */
export const accessTypes = ['public', 'organizationPrivate', 'restricted'] as const;
export type AccessType = (typeof accessTypes)[number];

/** Settings of an API key, read with the credentials of every request, so never stale. */
export interface Switches {
  readonly activityLogs: boolean;
  readonly activityLogsImmutable: boolean;
  readonly notificationService: boolean;
  /** Absent from the switches that jobs of earlier releases store. */
  readonly email?: boolean;
  readonly slack?: boolean;
  readonly advancedWebhooks: boolean;
  /** Advanced or basic webhooks are on, so events may have receivers. */
  readonly webhooks: boolean;
  /** The customer's permission provider decides all access. */
  readonly permissionProvider: boolean;
  readonly defaultDocumentAccessType: AccessType;
  readonly defaultFolderAccessType: AccessType;
}

/**
 * The owner of every row that a request or a job may see. `id` is the surrogate key, `keyId` the public id (`akid_…`) for
 * logs and Temporal.
 */
export interface Tenant {
  readonly id: string;
  readonly keyId: string;
  readonly switches: Switches;
  /** Id of the request that acts for the tenant. Its jobs store the id. */
  readonly requestId?: string;
}

/** The tenant of a request. `apiKey` is the credential itself, which no job has. */
export interface CallingTenant extends Tenant {
  readonly apiKey: string;
  readonly limits: CallerLimits;
}
