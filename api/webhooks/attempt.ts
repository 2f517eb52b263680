import { z } from 'zod';
import {
  attemptStatuses,
  triggers,
  type AttemptStatus,
  type Trigger,
} from '../../domain/webhooks/delivery/message.ts';
import { milliseconds } from '../schemas.ts';

export const attemptStatus = z.enum(Object.keys(attemptStatuses) as AttemptStatus[]);

/** One attempt to deliver a message to its endpoint. */
export const attemptResponse = z.strictObject({
  id: z.string(),
  messageId: z.string(),
  endpointId: z.string(),
  eventType: z.string(),
  attemptNumber: z.int().nullable().meta({ description: 'Null when Svix delivers the message.' }),
  status: attemptStatus,
  responseStatusCode: z.int().nullable().meta({ description: 'Null when the endpoint sent no response.' }),
  response: z.string().meta({ description: 'The first 1 KiB of the response body.' }),
  error: z.string().nullable(),
  durationMs: z.int(),
  timestamp: milliseconds,
  trigger: z.enum(Object.keys(triggers) as Trigger[]),
});
