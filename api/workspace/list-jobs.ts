import { z } from 'zod';
import { jobKindNames, jobKindNumber } from '../../domain/job-handlers/job-kinds.ts';
import { requireKey } from '../../domain/workspaces/find-key.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import { jobPages } from '../jobs/job-pages.ts';
import { operatorJobResponse, operatorJobView } from '../operator/jobs/job.ts';
import { keyId } from '../operator/key-id.ts';
import { jobStatus } from '../schemas.ts';

export const listWorkspaceJobs = endpoint({
  paths: ['/v2/workspace/jobs/list'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists the jobs of every API key of the workspace, newest first.',
  description:
    'A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. Jobs are kept for ' +
    '90 days after their end; those of a deleted key are left out. An unknown key, or one of another workspace, fails ' +
    'with `NOT_FOUND`.',
  data: z.strictObject({
    keyId: keyId
      .optional()
      .describe('Only jobs of this API key, by its public id `akid_…`. Max 200 characters.'),
    kind: z.enum(jobKindNames).optional().describe('Only jobs of this kind.'),
    status: jobStatus.optional().describe('Only jobs with this status.'),
    ...paging,
  }),
  response: listResponse(operatorJobResponse, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { status: 'in_progress', pageSize: 50 },
  async handle({ data, workspace }, { em, workflowUrl }) {
    const { kind, status } = data;
    const owner =
      data.keyId === undefined
        ? { workspaceId: workspace.id }
        : { tenantId: (await requireKey(em, { keyId: data.keyId, workspaceId: workspace.id })).tenantId };
    const list = jobPages(em, owner, { status, kind: kind && jobKindNumber(kind) }, (job) =>
      operatorJobView(job, { workflowUrl }),
    );
    return { message: 'Jobs retrieved successfully.', list };
  },
});
