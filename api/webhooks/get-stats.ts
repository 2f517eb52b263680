import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';
import { endpointsToRead, providedErrors } from './provided.ts';
import { endpointId } from './webhook-endpoint.ts';

const day = 86_400_000;

const moment = milliseconds.nullable();

export const getStats = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/stats/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Counts the messages of an endpoint since a time, by default of 24 hours, and tells how long attempts took.',
  data: z.strictObject({ endpointId, since: milliseconds.optional() }),
  response: dataResponse(
    z.strictObject({
      endpointId: z.string(),
      pending: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      p95Ms: z.int().nullable().meta({ description: 'Of attempts; null when there were none.' }),
      lastAttemptAt: moment,
      lastSuccessAt: moment,
      failingSince: moment,
    }),
  ),
  errors: [...providedErrors, 'DEADLINE_EXCEEDED'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data: { endpointId: id, since }, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    const stats = await endpoints.readStats(id, since ?? Date.now() - day);
    return succeeded('Advanced webhook endpoint stats retrieved successfully.', { endpointId: id, ...stats });
  },
});
