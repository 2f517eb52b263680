/** A kind of job. `job-handlers/job-kinds.ts` lists every kind. */
export interface JobKind {
  /** Its name in the API and the Temporal UI. */
  readonly name: string;
  /** Its number in the database; never reuse one. */
  readonly number: number;
  /** The workflow type: `workOnJob`, or a workflow of the kind's own. */
  readonly workflow: string;
  /** The summary of the job's workflow in the Temporal UI. */
  readonly summary: string;
  /** Max age of a job that has not ended, in seconds. Beyond it the metric `steward_job_oldest_age_seconds` raises an alert. */
  readonly ageLimitSeconds: number;
}

export const migrationKind = {
  name: 'document-migration',
  number: 1,
  workflow: 'migrateDocument',
  summary: 'Moves a document to a new id',
  ageLimitSeconds: 3_600,
} as const satisfies JobKind;

export const deletionKind = {
  name: 'user-data-deletion',
  number: 2,
  workflow: 'deleteUserData',
  summary: 'Deletes all data of users and verifies that none is left',
  /** Half of the 24 hours within which personal data must be deleted. */
  ageLimitSeconds: 12 * 3_600,
} as const satisfies JobKind;

export const provisioningKind = {
  name: 'webhook-provisioning',
  number: 3,
  workflow: 'provisionWebhookApplication',
  summary: 'Creates the application of an API key at its webhook provider',
  ageLimitSeconds: 900,
} as const satisfies JobKind;

export const cascadeKind = {
  name: 'cascade',
  number: 4,
  workflow: 'workOnJob',
  summary: 'Removes the rows of deleted resources and their descendants',
  ageLimitSeconds: 3_600,
} as const satisfies JobKind;

/** Jobs of this kind proceed after their API key is deleted. */
export const keyDeletionKind = {
  name: 'key-deletion',
  number: 5,
  workflow: 'workOnJob',
  summary: 'Deletes an API key with all of its rows, and verifies that none is left',
  ageLimitSeconds: 86_400,
} as const satisfies JobKind;

/**
 * Work of single jobs that is not that of their kind, with its workflow and its summary. The request of `notifyMembers`
 * stores this name; that of `notifyRemaining` has the member `notify`, and release 0.2.0 would start a stored name.
 */
export const specialWork = {
  notifyMembers: { workflow: 'notifyMembers', summary: 'Notifies the members of a document' },
  notifyRemaining: { workflow: 'workOnJob', summary: 'Notifies users of changed comments' },
} as const;
export type SpecialWork = keyof typeof specialWork;

interface JobToStart {
  /** Public id. */
  readonly jobId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  /** Customer's id; null for a job that does not concern exactly one organization. */
  readonly organizationId: string | null;
  /** Id of the request that created the job; null for jobs of releases that did not store it. */
  readonly requestId: string | null;
}

/** The input to start a job's workflow. */
export interface StartableJob extends JobToStart {
  /** The name of its kind. */
  readonly kind: string;
  readonly workflowType: string;
  readonly summary: string;
}

export function startableJob(kind: JobKind, job: JobToStart, special?: SpecialWork): StartableJob {
  const { workflow, summary } = special === undefined ? kind : specialWork[special];
  return { ...job, kind: kind.name, workflowType: workflow, summary };
}
