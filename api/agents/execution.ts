import { z } from 'zod';
import { executionStatuses, executionTriggers } from '../../domain/agents/execution.ts';
import { isLargerThan } from '../json-size.ts';
import { customerId, name, text } from '../schemas.ts';

export const executionStatus = z.enum(executionStatuses);

export const executionTrigger = z.enum(executionTriggers);

/** Who started an execution; kept as sent. */
export const ranBy = z.strictObject({
  userId: customerId,
  name: name.optional(),
  email: text(254).optional(),
});

const maxBytes = 262_144;

/** Any JSON of at most 256 KiB. */
export const results = z.unknown().superRefine((value, context) => {
  if (value !== undefined && isLargerThan(maxBytes, value)) {
    context.addIssue({ code: 'custom', message: '<m> must be at most 256 KiB.' });
  }
});

/** Agent execution, as lists answer it. */
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

/** With where it ran and who started it. */
export const detailedExecutionResponse = executionResponse.extend({
  organizationId: z.string().nullable(),
  documentId: z.string().nullable(),
  workflowExecutionId: z.string().nullable(),
  url: z.string().nullable(),
  ranBy: ranBy.nullable(),
});
