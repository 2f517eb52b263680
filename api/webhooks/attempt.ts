import { z } from 'zod';
import {
  attemptStatuses,
  triggers,
  type AttemptStatus,
  type Trigger,
} from '../../domain/webhooks/delivery/message.ts';
import { milliseconds } from '../schemas.ts';

export const attemptStatus = z.enum(Object.keys(attemptStatuses) as AttemptStatus[]);

/** One try to bring a message to its endpoint. */
export const attemptResponse = z.strictObject({
  id: z.string(),
  messageId: z.string(),
  endpointId: z.string(),
  eventType: z.string(),
  attemptNumber: z.int().nullable().meta({ description: 'Null where Svix delivers.' }),
  status: attemptStatus,
  responseStatusCode: z.int().nullable().meta({ description: 'Null when no answer came.' }),
  response: z.string().meta({ description: 'The beginning of the answer’s body: at most 1 KiB.' }),
  error: z.string().nullable(),
  durationMs: z.int(),
  timestamp: milliseconds,
  trigger: z.enum(Object.keys(triggers) as Trigger[]),
});
