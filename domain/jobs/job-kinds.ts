import type { Orm } from '../../platform/database/orm.ts';
import { nameOfNumber } from '../name-of-number.ts';
import type { Job } from './job.entity.ts';

/**
 * Does a job's work, one short transaction after the other, and yields between two of them. It may stop and start
 * anywhere: what is left follows from the rows, or from a position that a step writes with what it did.
 */
export type JobWork = (orm: Orm, job: Job) => AsyncIterable<unknown>;

/** What is to be known of a kind. */
interface JobKindRow {
  /** As the database numbers it; a number is never given twice. */
  readonly number: number;
  /** Names the job's workflow to an operator in the Temporal UI. */
  readonly summary: string;
  /**
   * The workflow of this kind's own, or the work that the workflow `workOnJob` carries out. Loaded when a job of the kind is
   * worked on: a static import would be a cycle, because files that do such work also create jobs.
   */
  readonly by: string | (() => Promise<JobWork>);
}

/** All kinds of jobs: jobs are numbered, started, listed and worked on by these rows. */
const rows = {
  'document-migration': { number: 1, by: 'migrateDocument', summary: 'Moves a document to a new id' },
  'user-data-deletion': {
    number: 2,
    by: 'deleteUserData',
    summary: 'Deletes all data of people, and proves it',
  },
  'webhook-provisioning': {
    number: 3,
    by: 'provisionWebhookApplication',
    summary: 'Makes a key known to whoever serves its webhooks',
  },
  cascade: {
    number: 4,
    by: async () => (await import('../cascade/remove-below.ts')).removeBelow,
    summary: 'Removes the rows below what was deleted',
  },
} as const satisfies Readonly<Record<string, JobKindRow>>;

export type JobKind = keyof typeof rows;
export const jobKinds = Object.keys(rows) as JobKind[];

export const jobKindNumber = (kind: JobKind): number => rows[kind].number;

const numbers = Object.fromEntries(jobKinds.map((kind) => [kind, rows[kind].number])) as Record<
  JobKind,
  number
>;

export const jobKindName = (number: number): JobKind => nameOfNumber(numbers, number);

/** Undefined for a kind with a workflow of its own. */
export async function jobWork(kind: JobKind): Promise<JobWork | undefined> {
  const { by }: JobKindRow = rows[kind];
  return typeof by === 'string' ? undefined : await by();
}

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
  const { by, summary }: JobKindRow = rows[job.kind];
  return { ...job, workflowType: typeof by === 'string' ? by : 'workOnJob', summary };
}

/** Every workflow that a job may have. */
export const jobWorkflowTypes: readonly string[] = [
  ...jobKinds.map((kind) => startableJob({ kind, jobId: '', keyId: '', organizationId: null }).workflowType),
  ...Object.keys(specialSummaries),
];
