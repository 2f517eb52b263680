import { cancelAnyJob } from './cancel.ts';
import { getAnyJob } from './get.ts';
import { listAllJobs } from './list.ts';
import { retryJob } from './retry.ts';

export const operatorJobEndpoints = [listAllJobs, getAnyJob, retryJob, cancelAnyJob] as const;
