import { nameOfNumber } from '../name-of-number.ts';

/** What is to be known of a kind. */
interface JobKindRow {
  /** As the database numbers it; a number is never given twice. */
  readonly number: number;
  /** Names the job's workflow to an operator in the Temporal UI. */
  readonly summary: string;
  /** The workflow type. `workOnJob` does the work that `domain/job-handlers/job-work.ts` gives for the kind. */
  readonly workflow: string;
}

/** All kinds of jobs: jobs are numbered, started and listed by these rows. */
const rows = {
  'document-migration': { number: 1, workflow: 'migrateDocument', summary: 'Moves a document to a new id' },
  'user-data-deletion': {
    number: 2,
    workflow: 'deleteUserData',
    summary: 'Deletes all data of people, and proves it',
  },
  'webhook-provisioning': {
    number: 3,
    workflow: 'provisionWebhookApplication',
    summary: 'Makes a key known to whoever serves its webhooks',
  },
  cascade: {
    number: 4,
    workflow: 'workOnJob',
    summary: 'Removes the rows below what was deleted',
  },
} as const satisfies Readonly<Record<string, JobKindRow>>;

export type JobKind = keyof typeof rows;
/** The kinds that the workflow `workOnJob` carries out. */
export type WorkedKind = {
  [Kind in JobKind]: (typeof rows)[Kind]['workflow'] extends 'workOnJob' ? Kind : never;
}[JobKind];
export const jobKinds = Object.keys(rows) as JobKind[];

export const jobKindNumber = (kind: JobKind): number => rows[kind].number;

const numbers = Object.fromEntries(jobKinds.map((kind) => [kind, rows[kind].number])) as Record<
  JobKind,
  number
>;

export const jobKindName = (number: number): JobKind => nameOfNumber(numbers, number);

/** Workflows that carry out a job of a kind in the place of the usual one; stored in its request. */
const specialSummaries = { notifyMembers: 'Notifies the members of a document' } as const;
export type SpecialWorkflow = keyof typeof specialSummaries;

interface JobToStart {
  readonly kind: JobKind;
  readonly workflow?: SpecialWorkflow | undefined;
  /** The public one. */
  readonly jobId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  /** The customer's; null for a job that is not about one organization. */
  readonly organizationId: string | null;
}

/** What it takes to start a job's workflow. */
export interface StartableJob extends Omit<JobToStart, 'workflow'> {
  readonly workflowType: string;
  readonly summary: string;
}

export function startableJob({ workflow, ...job }: JobToStart): StartableJob {
  if (workflow !== undefined) return { ...job, workflowType: workflow, summary: specialSummaries[workflow] };
  const { workflow: workflowType, summary } = rows[job.kind];
  return { ...job, workflowType, summary };
}

/** Every workflow that a job may have. */
export const jobWorkflowTypes: readonly string[] = [
  ...jobKinds.map((kind) => startableJob({ kind, jobId: '', keyId: '', organizationId: null }).workflowType),
  ...Object.keys(specialSummaries),
];
