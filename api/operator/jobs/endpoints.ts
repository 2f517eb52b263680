import { cancelJob } from './cancel.ts';
import { getJob } from './get.ts';
import { listJobs } from './list.ts';
import { retryJob } from './retry.ts';

export const operatorJobEndpoints = [listJobs, getJob, retryJob, cancelJob] as const;
