import { z } from 'zod';
import { dayMs } from '../../platform/units.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

const defaultPeriodMs = dayMs;

const moment = milliseconds.nullable();

export const getStats = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/stats/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns message counts and the p95 attempt duration of a webhook endpoint.',
  description:
    'Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. The times cover all attempts of the ' +
    'last 30 days. An unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while ' +
    'advanced webhooks are off.',
  data: z.strictObject({
    endpointId,
    since: milliseconds
      .optional()
      .describe('Start of the period, in milliseconds since the epoch. Absent: 24 hours ago.'),
  }),
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      pending: z.int().describe('Messages of the period that wait for an attempt.'),
      succeeded: z.int().describe('Messages of the period that were delivered.'),
      failed: z.int().describe('Messages of the period whose attempts all failed.'),
      cancelled: z.int().describe('Messages of the period that were canceled.'),
      p95Ms: z
        .int()
        .nullable()
        .meta({ description: '95th percentile of attempt durations; null without attempts.' }),
      lastAttemptAt: moment.describe('Last attempt, in milliseconds since the epoch. Null without one.'),
      lastSuccessAt: moment.describe(
        'Last successful attempt, in milliseconds since the epoch. Null without one.',
      ),
      failingSince: moment.describe(
        'First failure since the last success, in milliseconds since the epoch. Null while deliveries ' +
          'succeed.',
      ),
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
