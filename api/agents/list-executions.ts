import { z } from 'zod';
import { readExecutions } from '../../domain/agents/read-executions.ts';
import { cursorListResponse } from '../http/response/cursor-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { cursorPaging } from '../http/response/cursor-list.ts';
import { customerId } from '../schemas.ts';
import { executionResponse, executionStatus } from './execution.ts';

export const listExecutions = endpoint({
  paths: ['/v2/agents/execution/list'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists executions by start time.',
  description:
    'A page may be short: only `hasMore: false` marks the end. All filters apply together. The order is ' +
    'by `startedAt`, with the same time in insertion order, and stays stable while executions are ' +
    'added. Unknown ids match nothing and do not fail.',
  data: z
    .strictObject({
      agentId: customerId.optional().describe('Only executions of this agent.'),
      documentId: customerId
        .optional()
        .describe(
          'Only executions in documents with this id. Without `organizationId`, in any organization.',
        ),
      organizationId: customerId.optional().describe('Only executions in this organization.'),
      status: executionStatus.optional().describe('Only executions with this status.'),
      orderDirection: z
        .enum(['asc', 'desc'])
        .default('desc')
        .describe('Order by `startedAt`: `desc` returns the newest first.'),
      ...cursorPaging,
    })
    .check(exclude('cursor', 'pageToken')),
  response: cursorListResponse(executionResponse),
  errors: [],
  example: { organizationId: 'acme', status: 'running', pageSize: 20 },
  async handle({ data, tenant }, { em }) {
    return {
      page: async (position, limit) => {
        const [startedAt, id] = position ?? [];
        const after = startedAt === undefined ? undefined : { startedAt: String(startedAt), id: String(id) };
        const paging = { after, limit, order: data.orderDirection };
        const { executions, next, cut } = await readExecutions(em, tenant, data, paging);
        return { items: executions, next: next && [next.startedAt, next.id], cut };
      },
    };
  },
});
