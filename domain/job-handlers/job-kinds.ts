import type { Orm } from '../../platform/database/orm.ts';
import { removeDescendants } from '../cascade/remove-descendants.ts';
import { notifyRemaining } from '../comments/emission/notify-remaining.ts';
import { isRemainingRequest } from '../comments/emission/remaining-job.ts';
import type { Decider } from '../permissions/provider/permission-provider.ts';
import type { Completion } from '../deletion/journal/journal-deletion.ts';
import { removeKey } from '../key-deletion/remove-key.ts';
import {
  cascadeKind,
  deletionKind,
  keyDeletionKind,
  migrationKind,
  provisioningKind,
  type JobKind,
} from '../jobs/job-kinds.ts';
import type { Job } from '../jobs/job.entity.ts';

/**
 * Does a job's work in short transactions and yields after each. It may stop and resume at any time: the rows, or a
 * position stored with each batch, show what is left. `from`: the number that it yielded last in this process, 0 at
 * first. It saves the search through what was found empty; any number is safe.
 */
export type JobWork = (orm: Orm, job: Job, tools: JobTools, from: number) => AsyncIterable<unknown>;

/** Dependencies of jobs other than the database. */
export interface JobTools extends Completion {
  readonly permissionProvider: Decider;
}

interface HandledKind {
  readonly kind: JobKind;
  /** The work of the workflow `workOnJob`; undefined for a kind with its own workflow. */
  readonly work?: JobWork;
}

/** All kinds of jobs. Listing, the sweep and the worker read this list. */
const rows = [
  { kind: migrationKind },
  { kind: deletionKind },
  { kind: provisioningKind },
  {
    kind: cascadeKind,
    work: (orm, job, { permissionProvider }, from) =>
      isRemainingRequest(job.request)
        ? notifyRemaining(orm, job, permissionProvider)
        : removeDescendants(orm, job, from),
  },
  { kind: keyDeletionKind, work: removeKey },
] as const satisfies readonly HandledKind[];

export type JobKindName = (typeof rows)[number]['kind']['name'];
export const jobKindNames: readonly JobKindName[] = rows.map(({ kind }) => kind.name);

/** The kinds with their age limits. */
export const jobKinds: readonly JobKind[] = rows.map(({ kind }) => kind);

export const jobKindNumber = (name: JobKindName): number =>
  rowOf(({ kind }) => kind.name === name).kind.number;

export const jobKindOf = (number: number) => rowOf(({ kind }) => kind.number === number).kind;

/** Returns false for the kind of a later release, whose jobs wait for it and are in no response. */
export const isJobKind = (number: number): boolean => rows.some(({ kind }) => kind.number === number);

/** Returns undefined for a kind with its own workflow. */
export function jobWork(number: number): JobWork | undefined {
  const row: HandledKind = rowOf(({ kind }) => kind.number === number);
  return row.work;
}

function rowOf(wanted: (row: HandledKind) => boolean): (typeof rows)[number] {
  const row = rows.find(wanted);
  if (row === undefined) throw new Error('unknown job kind');
  return row;
}
