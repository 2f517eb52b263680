import { defineEntity, p } from '@mikro-orm/core';

export const jobStatusNumbers = { pending: 0, in_progress: 1, completed: 2, failed: 3 } as const;
export type JobStatus = keyof typeof jobStatusNumbers;
export const jobStatuses = Object.keys(jobStatusNumbers) as JobStatus[];

const statusNames = new Map(
  Object.entries(jobStatusNumbers).map(([name, number]) => [number, name as JobStatus]),
);

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
