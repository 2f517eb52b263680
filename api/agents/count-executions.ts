import { z } from 'zod';
import { countAll, countByAgent } from '../../domain/agents/count-executions.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';
import { executionStatus } from './execution.ts';

const maxAgents = 200;

const agentIds = z
  .preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), ids(maxAgents))
  .meta({ description: 'One id, or a list of 1 to 200.' });

export const countExecutions = endpoint({
  paths: ['/v2/agents/execution/count'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns exact counts of executions, by agent or in total.',
  description: 'An unknown agent counts 0. Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`.',
  data: z.strictObject({
    agentIds: agentIds
      .optional()
      .describe('Ids of agents: one id, or a list of 1 to 200. Absent: all executions of the API key.'),
    status: executionStatus.optional().describe('Only executions with this status.'),
  }),
  response: dataResponse(
    z.strictObject({
      counts: z
        .record(z.string(), z.int())
        .optional()
        .describe('Number of executions of each agent, by its id. Absent without `agentIds`.'),
      total: z.int().optional().describe('Number of all executions. Absent with `agentIds`.'),
    }),
  ),
  errors: [],
  example: { agentIds: ['summarizer'], status: 'passed' },
  async handle({ data, tenant }, { em }) {
    const message = 'Executions counted successfully';
    const { agentIds: requestedIds, status } = data;
    if (requestedIds === undefined) return succeeded(message, { total: await countAll(em, tenant, status) });
    const counted = await countByAgent(em, tenant, { agentIds: requestedIds, status });
    const counts = Object.fromEntries(requestedIds.map((id) => [id, counted.get(id) ?? 0]));
    return succeeded(message, { counts });
  },
});
