import { defineEntity, p } from '@mikro-orm/core';
import { byteText, createdAt, json, moment, now, reference, surrogateKey } from '../columns.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { namesOf } from '../names-of.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import { cascadeKind, deletionKind } from './job-kinds.ts';

export const jobStatusNumbers = { pending: 0, in_progress: 1, completed: 2, failed: 3 } as const;
export type JobStatus = keyof typeof jobStatusNumbers;
export const jobStatuses = namesOf(jobStatusNumbers);

export const jobStatusName = (number: number): JobStatus => nameOfNumber(jobStatusNumbers, number);

/** The `error` of a canceled job of any kind. */
export const cancelledError = 'cancelled';

/** `total` is null while unknown. */
export interface JobProgress {
  readonly done: number;
  readonly total: number | null;
}

const { pending, in_progress, completed, failed } = jobStatusNumbers;
/** SQL: the condition of the indexes of jobs that have not ended. */
export const isOpenJob = `status in (${String(pending)}, ${String(in_progress)})`;

/** SQL: the condition of the index of open jobs that remove the records beyond the limit of a call. */
export const isOpenRemoval = `kind = ${String(cascadeKind.number)} and ${isOpenJob} and (request -> 'records') is not null`;

/** SQL: the condition of the index of deletions that have not ended and are not yet marked as late. */
export const mayBeLate = `kind = ${String(deletionKind.number)} and ${isOpenJob} and late_at is null`;

export const JobSchema = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: {
    id: surrogateKey(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    publicId: p.text().unique(),
    kind: p.smallint(),
    status: p.enum(jobStatusNumbers).default(pending),
    orgId: p.bigint('string').nullable(),
    organizationExtId: byteText().nullable(),
    requestId: p.text().nullable(),
    request: json<object>().nullable(),
    progress: json<JobProgress>().nullable(),
    error: p.text().nullable(),
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    endedAt: moment().nullable(),
    lateAt: moment().nullable(),
    nextSweepAt: moment().defaultRaw("(now() + '00:00:10'::interval)"),
  },
  indexes: [
    { name: 'job_key_kind', properties: ['apiKeyId', 'kind', 'id'] },
    { name: 'job_key', properties: ['apiKeyId', 'id'] },
    { name: 'job_open_key', properties: ['apiKeyId', 'id'], where: isOpenJob },
    { name: 'job_open', properties: ['nextSweepAt'], where: isOpenJob },
    { name: 'job_status', properties: ['status', 'id'] },
    { name: 'job_created', properties: ['createdAt'] },
    { name: 'job_open_removal', properties: ['orgId'], where: isOpenRemoval },
    { name: 'job_open_age', properties: ['kind', 'status', 'createdAt'], where: isOpenJob },
    { name: 'job_ended', properties: ['endedAt'], where: 'ended_at is not null' },
    { name: 'job_may_be_late', properties: ['createdAt'], where: mayBeLate },
  ],
});

/** Asynchronous work. A pending row makes its workflow start: after the commit, or by the sweep. */
export class Job extends JobSchema.class {
  /** Starts a pending job. Returns whether the job is in progress, also when an earlier call started it. */
  begin(): boolean {
    if (this.status === pending) {
      this.status = in_progress;
      this.startedAt = now();
    }
    return this.status === in_progress;
  }

  /** Whether the job runs again after a restore of the database. */
  runsAgain(): boolean {
    return 'replayed' in (this.request ?? {});
  }

  addProgress(records: number): void {
    this.progress = { done: (this.progress?.done ?? 0) + records, total: null };
  }

  /** Replaces the request by the part that remains. */
  continueWith(left: object): void {
    this.request = left;
  }

  /** Completes a job that is in progress, and sets its total. Idempotent. */
  complete(done: number = this.progress?.done ?? 0): void {
    if (this.status !== in_progress) return;
    this.status = completed;
    this.endedAt = now();
    this.progress = { done, total: done };
  }

  /** Makes a failed job pending again. */
  reopen(): void {
    if (this.status !== failed) return;
    this.status = pending;
    this.startedAt = null;
    this.endedAt = null;
    this.error = null;
    this.makeDue();
  }

  /** Lets the next sweep start the workflow if none runs. */
  makeDue(): void {
    this.nextSweepAt = now();
  }

  /** Fails a job that has not ended. `error` is a fixed text. */
  fail(error: string): void {
    if (this.status === completed || this.status === failed) return;
    this.status = failed;
    this.endedAt = now();
    this.error = error;
  }
}
JobSchema.setClass(Job);
