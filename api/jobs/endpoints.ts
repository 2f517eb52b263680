import { cancelJob } from './cancel-job.ts';
import { getJob } from './get-job.ts';
import { listJobs } from './list-jobs.ts';

export const jobEndpoints = [getJob, listJobs, cancelJob] as const;
