import { z } from 'zod';
import { readExecutions } from '../../domain/agents/read-executions.ts';
import { cursorListResponse } from '../http/response/cursor-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { cursorPaging } from '../http/response/cursor-list.ts';
import { idOf } from '../schemas.ts';
import { executionResponse, executionStatus } from './execution.ts';

export const listExecutions = endpoint({
  paths: ['/v2/agents/execution/list'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists executions by start time. A page may be short; hasMore tells whether another follows.',
  data: z
    .strictObject({
      agentId: idOf('the agent').optional(),
      documentId: idOf('the document').optional(),
      organizationId: idOf('the organization').optional(),
      status: executionStatus.optional(),
      orderDirection: z.enum(['asc', 'desc']).default('desc'),
      ...cursorPaging(500, 50),
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
