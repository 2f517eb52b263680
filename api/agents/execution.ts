import { z } from 'zod';
import { executionStatuses, executionTriggers } from '../../domain/agents/execution.ts';
import { isLargerThan } from '../json-size.ts';
import { idOf, name, text } from '../schemas.ts';

export const executionStatus = z.enum(executionStatuses);

export const executionTrigger = z.enum(executionTriggers);

/** The user who started an execution, stored as sent. */
export const ranBy = z.strictObject({
  userId: idOf('the user'),
  name: name.optional(),
  email: text(254).optional(),
});

const maxBytes = 262_144;

/** Any JSON up to 256 KiB. */
export const results = z.unknown().superRefine((value, context) => {
  if (value !== undefined && isLargerThan(maxBytes, value)) {
    context.addIssue({ code: 'custom', message: '<m> must be at most 256 KiB.' });
  }
});

/** An execution in a list. */
export const executionResponse = z.strictObject({
  id: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  agentVersion: z.int(),
  status: executionStatus,
  message: z.string(),
  startedAt: z.int(),
  completedAt: z.int().nullable(),
  durationMs: z.int().nullable(),
  trigger: executionTrigger,
});

/** An execution with its location and the user who started it. */
export const detailedExecutionResponse = executionResponse.extend({
  organizationId: z.string().nullable(),
  documentId: z.string().nullable(),
  workflowExecutionId: z.string().nullable(),
  url: z.string().nullable(),
  ranBy: ranBy.nullable(),
});
