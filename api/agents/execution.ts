import { z } from 'zod';
import { executionStatuses, executionTriggers } from '../../domain/agents/execution.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { anything, atMostKibibytes } from '../schemas.ts';

export const executionStatus = z
  .enum(executionStatuses)
  .describe('Status of the execution. Every status except `running` is an end.')
  .meta({ id: 'AgentExecutionStatus' });

export const executionTrigger = z
  .enum(executionTriggers)
  .describe('What started the execution.')
  .meta({ id: 'AgentExecutionTrigger' });

/** Any JSON up to 256 KiB. */
export const results = anything.superRefine(atMostKibibytes(256));

/** An execution in a list. */
export const executionResponse = z
  .strictObject({
    id: z.string().describe('Id of the execution.'),
    agentId: z.string().describe('Id of the agent.'),
    agentName: z.string().describe('Name of the agent.'),
    agentVersion: z.int().describe('Version of the agent.'),
    status: executionStatus,
    message: z.string().describe('Message to show. Empty when none was sent and the execution has ended.'),
    startedAt: z.int().describe('When the execution started, in milliseconds since the epoch.'),
    completedAt: z
      .int()
      .nullable()
      .describe('When the execution ended, in milliseconds since the epoch. Null while running.'),
    durationMs: z.int().nullable().describe('Time from start to end, in milliseconds. Null while running.'),
    trigger: executionTrigger,
  })
  .meta({ id: 'AgentExecution' });

/** An execution with its location and the user who started it. */
export const detailedExecutionResponse = executionResponse
  .extend({
    organizationId: z.string().nullable().describe('Id of the organization. Null when none was sent.'),
    documentId: z.string().nullable().describe('Current id of the document. Null when none was sent.'),
    workflowExecutionId: z
      .string()
      .nullable()
      .describe('Your id for the workflow run. Null when none was sent.'),
    url: z.string().nullable().describe('URL of the execution in your system. Null when none was sent.'),
    ranBy: embeddedUser.nullable().describe('User who started the execution. Null when none was sent.'),
  })
  .meta({ id: 'AgentExecutionDetails' });
