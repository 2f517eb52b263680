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
  summary: 'Ends an execution once, or changes its message, agent name or results.',
  data: z
    .strictObject({
      executionId: idOf('the execution'),
      status: executionStatus.optional(),
      message: text(10_000).optional(),
      agentName: name.optional(),
      completedAt: milliseconds.optional(),
      results: results.optional(),
    })
    .check(
      atLeastOne(
        ['status', 'message', 'agentName', 'completedAt', 'results'],
        'At least one of status, message, agentName, completedAt or results must be provided.',
      ),
    ),
  response: dataResponse(detailedExecutionResponse),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { executionId: 'run-1', status: 'passed', message: 'Summarised 12 comments.' },
  async handle({ data, tenant }, { em }) {
    const { executionId, ...patch } = data;
    return succeeded('Execution updated successfully', await update(em, tenant, executionId, patch));
  },
});
