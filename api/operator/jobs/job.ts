import { z } from 'zod';
import type { JobRow } from '../../../domain/jobs/read-jobs.ts';
import type { Work } from '../../http/endpoint.ts';
import { jobResponse, jobView } from '../../jobs/job.ts';

/** A job as operators see it: with its key. */
export const operatorJobResponse = jobResponse
  .extend({
    keyId: z.string().nullable().meta({ description: 'Null once the key is deleted.' }),
  })
  .meta({ id: 'OperatorJob' });

export const operatorJobView = (
  job: JobRow,
  work: Pick<Work, 'workflowUrl'>,
): z.input<typeof operatorJobResponse> => ({ ...jobView(job, work), keyId: job.key_id });
