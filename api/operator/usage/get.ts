import { z } from 'zod';
import { requireKey } from '../../../domain/workspaces/find-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { text } from '../../schemas.ts';
import { rangeRule, usagePages, usageRequest, usageResponse } from './usage.ts';

export const getAnyUsage = endpoint({
  paths: ['/v2/operator/usage/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists the usage of an API key, by hour or by day.',
  description:
    'Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; ' +
    'a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept ' +
    'for 48 hours and days for 400 days. An unknown key fails with `NOT_FOUND`.',
  data: z
    .strictObject({
      keyId: text(200).min(1).describe('Public id of an API key (`akid_…`), max 200 characters.'),
      ...usageRequest,
    })
    .check(rangeRule),
  response: usageResponse,
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef', by: 'day' },
  async handle({ data: { keyId, ...range } }, { em }) {
    const { tenantId } = await requireKey(em, { keyId });
    return { message: 'Usage retrieved successfully.', list: usagePages(em, tenantId, range) };
  },
});
