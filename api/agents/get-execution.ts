import { z } from 'zod';
import { readExecution } from '../../domain/agents/read-execution.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { idOf } from '../schemas.ts';
import { detailedExecutionResponse } from './execution.ts';

export const getExecution = endpoint({
  paths: ['/v2/agents/execution/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns an execution, with its results on request.',
  data: z.strictObject({ executionId: idOf('the execution'), includeResults: z.boolean().default(false) }),
  response: dataResponse(detailedExecutionResponse.extend({ results: z.unknown().optional() })),
  errors: ['NOT_FOUND'],
  maxResponseBytes: 524_288,
  example: { executionId: 'run-1', includeResults: true },
  async handle({ data, tenant }, { em }) {
    const { executionId, includeResults } = data;
    const execution = await readExecution(em, tenant, executionId, { includeResults });
    return succeeded('Execution retrieved successfully', execution);
  },
});
