import { z } from 'zod';
import { namesOf } from '../../domain/names-of.ts';
import { attemptStatuses, triggers } from '../../domain/webhooks/delivery/message.ts';
import { milliseconds } from '../schemas.ts';

export const attemptStatus = z.enum(namesOf(attemptStatuses)).meta({ id: 'WebhookAttemptStatus' });

/** One attempt to deliver a message to its endpoint. */
export const attemptResponse = z
  .strictObject({
    id: z.string().describe('Id of the attempt.'),
    messageId: z.string().describe('Id of the message, equal to its `webhook-id` header.'),
    endpointId: z.string().describe('Id of the endpoint.'),
    eventType: z.string().describe('Type of the event.'),
    attemptNumber: z.int().nullable().meta({ description: 'Null when Svix delivers the message.' }),
    status: attemptStatus.describe('Whether the endpoint responded with 2xx within 15 seconds.'),
    responseStatusCode: z.int().nullable().meta({ description: 'Null when the endpoint sent no response.' }),
    response: z.string().meta({ description: 'The first 1 KiB of the response body.' }),
    error: z.string().nullable().describe('Why the attempt failed. Null when it succeeded.'),
    durationMs: z.int().describe('Duration of the attempt, in milliseconds.'),
    timestamp: milliseconds.describe('When the attempt started, in milliseconds since the epoch.'),
    trigger: z
      .enum(namesOf(triggers))
      .describe('What started the attempt: the retry schedule, a resend or a test.'),
  })
  .meta({ id: 'WebhookAttempt' });
