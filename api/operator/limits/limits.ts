import { z } from 'zod';
import { maxKeyLimits, type KeyLimits } from '../../../domain/tenancy/key-limits.ts';
import { integer } from '../../schemas.ts';
import { keyId } from '../key-id.ts';

const descriptions: Readonly<Record<keyof KeyLimits, string>> = {
  requestsPerSecond: 'Requests per second, in all API processes together.',
  burst: 'Requests that may arrive at once before the rate applies.',
  aiConcurrency: 'Concurrent AI calls in all API processes together; further calls wait.',
  webhookEndpoints: 'Max endpoints of advanced webhooks; existing ones beyond the limit are kept.',
};

/** A limit of a key. Null is the default of the deployment. */
export const limit = (name: keyof KeyLimits) =>
  integer(1, maxKeyLimits[name])
    .nullable()
    .meta({ description: `${descriptions[name]} Null: the default of the deployment.` });

export const limitsResponse = z
  .strictObject({
    keyId,
    requestsPerSecond: limit('requestsPerSecond'),
    burst: limit('burst'),
    aiConcurrency: limit('aiConcurrency'),
    webhookEndpoints: limit('webhookEndpoints'),
  })
  .meta({ id: 'KeyLimits' });
