import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { rangeRule, usagePages, usageRequest, usageResponse } from '../operator/usage/usage.ts';

export const getOwnUsage = endpoint({
  paths: ['/v2/usage/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the usage of the API key, by hour or by day.',
  description:
    'Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; ' +
    'a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept ' +
    'for 48 hours and days for 400 days.',
  data: z.strictObject(usageRequest).check(rangeRule),
  response: usageResponse,
  errors: [],
  example: { by: 'day' },
  async handle({ data, tenant }, { em }) {
    return { message: 'Usage retrieved successfully.', list: usagePages(em, tenant.id, data) };
  },
});
