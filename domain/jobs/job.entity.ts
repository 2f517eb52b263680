import { defineEntity, p } from '@mikro-orm/core';

/** As the database numbers them; a number is never given twice. */
export const jobKindNumbers = {
  'document-migration': 1,
  'user-data-deletion': 2,
  'webhook-provisioning': 3,
  cascade: 4,
} as const;
export type JobKind = keyof typeof jobKindNumbers;
export const jobKinds = Object.keys(jobKindNumbers) as JobKind[];

/** Workflows that carry out a job of a kind in the place of the usual one; stored in its request. */
export type SpecialWorkflow = 'notifyMembers';

/** What it takes to start a job's workflow. `jobId` and `keyId` are the public ids, `organizationId` is the customer's. */
export interface StartableJob {
  readonly kind: JobKind;
  readonly workflow?: SpecialWorkflow | undefined;
  readonly jobId: string;
  readonly keyId: string;
  readonly organizationId: string | null;
}

export const jobStatusNumbers = { pending: 0, in_progress: 1, completed: 2, failed: 3 } as const;
export type JobStatus = keyof typeof jobStatusNumbers;
export const jobStatuses = Object.keys(jobStatusNumbers) as JobStatus[];

const kindNames = new Map(Object.entries(jobKindNumbers).map(([name, number]) => [number, name as JobKind]));
const statusNames = new Map(
  Object.entries(jobStatusNumbers).map(([name, number]) => [number, name as JobStatus]),
);

export function jobKindName(number: number): JobKind {
  const name = kindNames.get(number as never);
  if (name === undefined) throw new Error(`No job kind has the number ${String(number)}.`);
  return name;
}

export function jobStatusName(number: number): JobStatus {
  const name = statusNames.get(number as never);
  if (name === undefined) throw new Error(`No job status has the number ${String(number)}.`);
  return name;
}

/** `total` is null while it is not known. */
export interface JobProgress {
  readonly done: number;
  readonly total: number | null;
}

const schema = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: {
    id: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    publicId: p.text(),
    kind: p.smallint(),
    status: p.smallint().default(jobStatusNumbers.pending),
    orgId: p.bigint('string').nullable(),
    organizationExtId: p.text().nullable(),
    request: p.json().columnType('json').nullable().$type<object>(),
    progress: p.json().columnType('json').nullable().$type<JobProgress>(),
    error: p.text().nullable(),
    createdAt: p
      .datetime()
      .columnType('timestamptz')
      .onCreate(() => new Date()),
    startedAt: p.datetime().columnType('timestamptz').nullable(),
    endedAt: p.datetime().columnType('timestamptz').nullable(),
    lateAt: p.datetime().columnType('timestamptz').nullable(),
  },
});

/** Work of more than one step. A row in `pending` is what makes its workflow start: at once after the commit, or by the sweep. */
export class Job extends schema.class {}
schema.setClass(Job);
