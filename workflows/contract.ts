import type { JobKind, SpecialWorkflow, StartableJob } from '../domain/jobs/job.entity.ts';

/*
 * What both sides of Temporal may know: names, queues, ids, arguments. Imports types only.
 * Arguments, ids and search attributes carry job and organization ids, never users, content or secrets.
 */

/** Task queue of the workflows themselves. */
export const workflowQueue = 'steward';
/** Task queue of activities that work on the database in chunks. */
export const databaseQueue = 'steward-database';

export interface JobInput {
  readonly jobId: string;
}

/** `from`: the place at which an earlier run of the same job stopped. */
export interface CascadeInput extends JobInput {
  readonly from?: number;
}

export interface CascadeStep {
  readonly finished: boolean;
  readonly from?: number;
}

export interface NotifyStep {
  readonly finished: boolean;
}

/** Names of the workflow functions, by the kind of job they carry out. */
export const workflowTypes = {
  'document-migration': 'migrateDocument',
  cascade: 'cascade',
} as const satisfies Partial<Record<JobKind, string>>;

const summaries = {
  'document-migration': 'Moves a document to a new id',
  cascade: 'Removes the rows below what was deleted',
} as const satisfies Record<keyof typeof workflowTypes, string>;

const specialSummaries = {
  notifyMembers: 'Notifies the members of a document',
} as const satisfies Record<SpecialWorkflow, string>;

export type RunnableKind = keyof typeof workflowTypes;

export function isRunnable(kind: JobKind): kind is RunnableKind {
  return Object.hasOwn(workflowTypes, kind);
}

/** Made of the job's id: starting twice is harmless. */
export const workflowIdOf = (job: { readonly kind: JobKind; readonly jobId: string }): string =>
  `${job.kind}/${job.jobId}`;

/** Custom search attributes, all keywords; registered by the worker as it starts. */
export const searchAttributes = {
  jobId: 'StewardJobId',
  jobKind: 'StewardJobKind',
  organizationId: 'StewardOrganizationId',
} as const;

/** Visibility stores 255 characters of a keyword. */
const longestAttribute = 200;

export interface WorkflowStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly input: JobInput;
  readonly summary: string;
  /** By the name of the search attribute. */
  readonly attributes: Readonly<Record<string, string>>;
}

export function workflowStartOf(job: StartableJob & { readonly kind: RunnableKind }): WorkflowStart {
  return {
    workflowType: job.workflow ?? workflowTypes[job.kind],
    workflowId: workflowIdOf(job),
    taskQueue: workflowQueue,
    input: { jobId: job.jobId },
    summary: job.workflow === undefined ? summaries[job.kind] : specialSummaries[job.workflow],
    attributes: {
      [searchAttributes.jobId]: job.jobId,
      [searchAttributes.jobKind]: job.kind,
      ...(job.organizationId !== null && {
        [searchAttributes.organizationId]: job.organizationId.slice(0, longestAttribute),
      }),
    },
  };
}

/** The sweep: a Temporal Schedule, one workflow a turn. */
export const sweepSchedule = {
  scheduleId: 'steward-sweep',
  workflowType: 'sweep',
  workflowId: 'sweep',
  every: '15s',
  summary: 'Starts jobs that wait, and clears away what has had its time',
} as const;
