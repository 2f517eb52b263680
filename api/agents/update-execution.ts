import { z } from 'zod';
import { updateExecution as update } from '../../domain/agents/update-execution.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { atLeastOne } from '../rules.ts';
import { idOf, milliseconds, name, text } from '../schemas.ts';
import { detailedExecutionResponse, executionStatus, results } from './execution.ts';

export const updateExecution = endpoint({
  paths: ['/v2/agents/execution/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Updates an execution, or ends it. An execution ends only once.',
  description:
    'An execution ends once: a second end, or another `completedAt` after it, fails with ' +
    '`FAILED_PRECONDITION`. Message, agent name and results may change afterwards. The end emits ' +
    '`agent.execution.passed`, `.failed`, `.error` or `.skipped` while webhooks are on; other ' +
    'changes emit nothing. An unknown execution fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` ' +
    'while the data of a named user is being deleted.',
  data: z
    .strictObject({
      executionId: idOf('the execution'),
      status: executionStatus
        .optional()
        .describe('New status. Every status except `running` ends the execution.'),
      message: text(10_000).optional().describe('Message to show, max 10,000 characters.'),
      agentName: name.optional().describe('Name of the agent, max 1,000 characters.'),
      completedAt: milliseconds
        .optional()
        .describe(
          'When the execution ended, in milliseconds since the epoch, not before its start. Absent: now. Only ' +
            'with an end.',
        ),
      results: results
        .optional()
        .describe('Results of the execution: any JSON, max 256 KiB. Replaces earlier results.'),
    })
    .check(
      atLeastOne(
        ['status', 'message', 'agentName', 'completedAt', 'results'],
        'At least one of status, message, agentName, completedAt or results must be provided.',
      ),
    ),
  response: dataResponse(detailedExecutionResponse),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { executionId: 'run-1', status: 'passed', message: 'Summarized 12 comments.' },
  async handle({ data, tenant }, { em }) {
    const { executionId, ...patch } = data;
    return succeeded('Execution updated successfully', await update(em, tenant, executionId, patch));
  },
});
