/** What is to be known of a kind of jobs. `job-handlers/job-kinds.ts` lists every kind. */
export interface JobKind {
  /** As the API and the Temporal UI name it. */
  readonly name: string;
  /** As the database numbers it; a number is never given twice. */
  readonly number: number;
  /** The workflow type: `workOnJob`, or a workflow of the kind's own. */
  readonly workflow: string;
  /** Names the job's workflow to an operator in the Temporal UI. */
  readonly summary: string;
}

export const migrationKind = {
  name: 'document-migration',
  number: 1,
  workflow: 'migrateDocument',
  summary: 'Moves a document to a new id',
} as const satisfies JobKind;

export const deletionKind = {
  name: 'user-data-deletion',
  number: 2,
  workflow: 'deleteUserData',
  summary: 'Deletes all data of people, and proves it',
} as const satisfies JobKind;

export const provisioningKind = {
  name: 'webhook-provisioning',
  number: 3,
  workflow: 'provisionWebhookApplication',
  summary: 'Makes a key known to whoever serves its webhooks',
} as const satisfies JobKind;

export const cascadeKind = {
  name: 'cascade',
  number: 4,
  workflow: 'workOnJob',
  summary: 'Removes the rows below what was deleted',
} as const satisfies JobKind;

/** Workflows that carry out a job of a kind in the place of the usual one; stored in its request. */
export const specialSummaries = { notifyMembers: 'Notifies the members of a document' } as const;
export type SpecialWorkflow = keyof typeof specialSummaries;

interface JobToStart {
  /** The public one. */
  readonly jobId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  /** The customer's; null for a job that is not about one organization. */
  readonly organizationId: string | null;
}

/** What it takes to start a job's workflow. */
export interface StartableJob extends JobToStart {
  /** The name of its kind. */
  readonly kind: string;
  readonly workflowType: string;
  readonly summary: string;
}

export const startableJob = (kind: JobKind, job: JobToStart, workflow?: SpecialWorkflow): StartableJob => ({
  ...job,
  kind: kind.name,
  workflowType: workflow ?? kind.workflow,
  summary: workflow === undefined ? kind.summary : specialSummaries[workflow],
});
