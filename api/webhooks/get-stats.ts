import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

const defaultPeriodMs = 86_400_000;

const moment = milliseconds.nullable();

export const getStats = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/stats/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Returns message counts and the p95 attempt duration of an endpoint since a time, by default 24 hours ago.',
  data: z.strictObject({ endpointId, since: milliseconds.optional() }),
  response: dataResponse(
    z.strictObject({
      endpointId: z.string(),
      pending: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      p95Ms: z
        .int()
        .nullable()
        .meta({ description: '95th percentile of attempt durations; null without attempts.' }),
      lastAttemptAt: moment,
      lastSuccessAt: moment,
      failingSince: moment,
    }),
  ),
  errors: [...endpointErrors, 'DEADLINE_EXCEEDED'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data: { endpointId: id, since }, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    const stats = await endpoints.readStats(id, since ?? Date.now() - defaultPeriodMs);
    return succeeded('Advanced webhook endpoint stats retrieved successfully.', { endpointId: id, ...stats });
  },
});
