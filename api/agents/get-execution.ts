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
  description:
    'An unknown execution fails with `NOT_FOUND`, and so does one whose organization or document was ' +
    'deleted.',
  data: z.strictObject({
    executionId: idOf('the execution'),
    includeResults: z.boolean().default(false).describe('True adds `results`.'),
  }),
  response: dataResponse(
    detailedExecutionResponse.extend({
      results: z
        .unknown()
        .optional()
        .describe(
          'Results of the execution, as sent. Present with `includeResults`; null when none were sent.',
        ),
    }),
  ),
  errors: ['NOT_FOUND'],
  maxResponseBytes: 524_288,
  example: { executionId: 'run-1', includeResults: true },
  async handle({ data, tenant }, { em }) {
    const { executionId, includeResults } = data;
    const execution = await readExecution(em, tenant, executionId, { includeResults });
    return succeeded('Execution retrieved successfully', execution);
  },
});
