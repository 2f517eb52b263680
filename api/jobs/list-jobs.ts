import { z } from 'zod';
import { jobStatuses } from '../../domain/jobs/job.entity.ts';
import { jobKindNames, jobKindNumber } from '../../domain/job-handlers/job-kinds.ts';
import { rowsWithin } from '../../domain/page-limit.ts';
import { readJobs } from '../../domain/jobs/read-jobs.ts';
import { listResponse } from '../http/response/list.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { endpoint } from '../http/endpoint.ts';
import { paging } from '../http/response/list.ts';
import { jobResponse, jobView, type JobResponse } from './job.ts';

/** An error is a short fixed text. */
const maxJobBytes = 2_048;

export const listJobs = endpoint({
  paths: ['/v2/jobs/list'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists jobs, newest first. A page may be short: only a missing nextPageToken marks the end.',
  data: z.strictObject({
    kind: z.enum(jobKindNames).optional(),
    status: z.enum(jobStatuses).optional(),
    ...paging,
  }),
  response: listResponse(jobResponse, { unpagedPaths: [] }),
  errors: [],
  example: { status: 'in_progress', pageSize: 50 },
  async handle({ data, tenant }, { em, workflowUrl }) {
    const filter = { status: data.status, kind: data.kind && jobKindNumber(data.kind) };
    const list: PageReader<JobResponse> = async (after, limit) => {
      const rows = rowsWithin(limit, maxJobBytes);
      const page = await readJobs(em, tenant, filter, { before: after && String(after[0]), limit: rows });
      return {
        items: page.jobs.map((job) => jobView(job, { workflowUrl })),
        next: page.next === undefined ? undefined : [page.next],
        cut: rows < limit.rows && page.jobs.length === rows,
      };
    };
    return { message: 'Jobs retrieved successfully.', list };
  },
});
