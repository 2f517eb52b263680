import { z } from 'zod';
import {
  auditedActions,
  auditEntryResponse,
  auditFilters,
  auditPages,
  oneTarget,
} from '../audit/audit-entry.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';

export const getAuditLog = endpoint({
  paths: ['/v2/workspace/auditlog/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists administrative actions on the workspace and its API keys, newest first.',
  description:
    'Includes actions of operators. Only an absent `nextPageToken` marks the end. All filters apply ' +
    `together. ${auditedActions}`,
  data: z.strictObject({ ...auditFilters, ...paging }).check(oneTarget),
  response: listResponse(auditEntryResponse, { unpagedPaths: [] }),
  errors: [],
  example: { action: 'configuration.update', pageSize: 50 },
  handle({ data, workspace }, work) {
    const { pageSize: _pageSize, pageToken: _pageToken, ...filters } = data;
    const list = auditPages(work, { workspace }, filters);
    return Promise.resolve({ message: 'Audit log retrieved successfully.', list });
  },
});
