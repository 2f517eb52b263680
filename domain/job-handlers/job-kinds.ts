import type { Orm } from '../../platform/database/orm.ts';
import { removeDescendants } from '../cascade/remove-descendants.ts';
import {
  cascadeKind,
  deletionKind,
  migrationKind,
  provisioningKind,
  specialSummaries,
  type JobKind,
} from '../jobs/job-kinds.ts';
import type { Job } from '../jobs/job.entity.ts';

/**
 * Does a job's work, one short transaction after the other, and yields between two of them. It may stop and start
 * anywhere: what is left follows from the rows, or from a position that a step writes with what it did.
 */
export type JobWork = (orm: Orm, job: Job) => AsyncIterable<unknown>;

interface HandledKind {
  readonly kind: JobKind;
  /** What the workflow `workOnJob` carries out; absent for a kind with a workflow of its own. */
  readonly work?: JobWork;
}

/** All kinds of jobs: jobs are listed, started by the sweep, and worked on by these rows. */
const rows = [
  { kind: migrationKind },
  { kind: deletionKind },
  { kind: provisioningKind },
  { kind: cascadeKind, work: removeDescendants },
] as const satisfies readonly HandledKind[];

export type JobKindName = (typeof rows)[number]['kind']['name'];
export const jobKindNames: readonly JobKindName[] = rows.map(({ kind }) => kind.name);

export const jobKindNumber = (name: JobKindName): number =>
  rowOf(({ kind }) => kind.name === name).kind.number;

export const jobKindOf = (number: number) => rowOf(({ kind }) => kind.number === number).kind;

/** Undefined for a kind with a workflow of its own. */
export function jobWork(number: number): JobWork | undefined {
  const row: HandledKind = rowOf(({ kind }) => kind.number === number);
  return row.work;
}

function rowOf(wanted: (row: HandledKind) => boolean): (typeof rows)[number] {
  const row = rows.find(wanted);
  if (row === undefined) throw new Error('missing row in the list of job kinds');
  return row;
}

/** Every workflow that a job may have. */
export const jobWorkflowTypes: readonly string[] = [
  ...rows.map(({ kind }) => kind.workflow),
  ...Object.keys(specialSummaries),
];
