import { z } from 'zod';
import { jobKindNames, jobKindNumber } from '../../domain/job-handlers/job-kinds.ts';
import { listResponse, paging } from '../http/response/list.ts';
import { endpoint } from '../http/endpoint.ts';
import { jobStatus } from '../schemas.ts';
import { jobPages } from './job-pages.ts';
import { jobResponse, jobView } from './job.ts';

export const listJobs = endpoint({
  paths: ['/v2/jobs/list'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the jobs of the API key, newest first.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. Returns jobs of the API key in ' +
    'pages of 1,000, in the reverse order of creation. Jobs are kept for 90 days after their end. The ' +
    'order stays stable while jobs are added.',
  data: z.strictObject({
    kind: z.enum(jobKindNames).optional().describe('Only jobs of this kind.'),
    status: jobStatus.optional().describe('Only jobs with this status.'),
    ...paging,
  }),
  response: listResponse(jobResponse, { unpagedPaths: [] }),
  errors: [],
  example: { status: 'in_progress', pageSize: 50 },
  async handle({ data, tenant }, { em, workflowUrl }) {
    const filter = { status: data.status, kind: data.kind && jobKindNumber(data.kind) };
    const list = jobPages(em, { tenantId: tenant.id }, filter, (job) => jobView(job, { workflowUrl }));
    return { message: 'Jobs retrieved successfully.', list };
  },
});
