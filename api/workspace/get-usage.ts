import { z } from 'zod';
import { requireKey } from '../../domain/workspaces/find-key.ts';
import { endpoint } from '../http/endpoint.ts';
import { rangeRule, usagePages, usageRequest, usageResponse } from '../operator/usage/usage.ts';
import { text } from '../schemas.ts';

export const getUsage = endpoint({
  paths: ['/v2/workspace/usage/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists the usage of an API key of the workspace, by hour or by day.',
  description:
    'Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; ' +
    'a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept ' +
    'for 48 hours and days for 400 days. An unknown key, or one of another workspace, fails with ' +
    '`NOT_FOUND`.',
  data: z
    .strictObject({
      apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
      ...usageRequest,
    })
    .check(rangeRule),
  response: usageResponse,
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', by: 'day' },
  async handle({ data: { apiKey, ...range }, workspace }, { em }) {
    const { tenantId } = await requireKey(em.fork(), { apiKey, workspaceId: workspace.id });
    return { message: 'Usage retrieved successfully.', list: usagePages(em, tenantId, range) };
  },
});
