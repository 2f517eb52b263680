import { z } from 'zod';
import { jobKindNames, jobKindNumber } from '../../../domain/job-handlers/job-kinds.ts';
import type { JobOwner } from '../../../domain/jobs/read-jobs.ts';
import { requireKey } from '../../../domain/workspaces/find-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { jobPages } from '../../jobs/job-pages.ts';
import { jobStatus, milliseconds } from '../../schemas.ts';
import { keyId } from '../key-id.ts';
import { operatorJobResponse, operatorJobView } from './job.ts';

export const listAllJobs = endpoint({
  paths: ['/v2/operator/jobs/list'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists jobs of every API key, newest first.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. Jobs ' +
    'are kept for 90 days after their end. An unknown key fails with `NOT_FOUND`.',
  data: z.strictObject({
    keyId: keyId.optional().describe('Only jobs of this API key.'),
    kind: z.enum(jobKindNames).optional().describe('Only jobs of this kind.'),
    status: jobStatus.optional().describe('Only jobs with this status.'),
    createdBefore: milliseconds
      .optional()
      .meta({ description: 'Only jobs created before this time, in milliseconds since the epoch.' }),
    ...paging,
  }),
  response: listResponse(operatorJobResponse, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { status: 'failed', pageSize: 50 },
  async handle({ data }, { em, workflowUrl }) {
    const { kind, status, createdBefore } = data;
    const owner: JobOwner =
      data.keyId === undefined
        ? { everyKey: true }
        : { tenantId: (await requireKey(em, { keyId: data.keyId })).tenantId };
    const filter = { status, createdBefore, kind: kind && jobKindNumber(kind) };
    const list = jobPages(em, owner, filter, (job) => operatorJobView(job, { workflowUrl }));
    return { message: 'Jobs retrieved successfully.', list };
  },
});
