import { z } from 'zod';
import {
  auditedActions,
  auditEntryResponse,
  auditFilters,
  auditPages,
  oneTarget,
} from '../../audit/audit-entry.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';

export const getOperatorAuditLog = endpoint({
  paths: ['/v2/operator/auditlog/get'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: false,
  summary: 'Lists administrative actions of all workspaces and of operators, newest first.',
  description: `Only an absent \`nextPageToken\` marks the end. All filters apply together. ${auditedActions}`,
  data: z.strictObject({ ...auditFilters, ...paging }).check(oneTarget),
  response: listResponse(auditEntryResponse, { unpagedPaths: [] }),
  errors: [],
  example: { action: 'configuration.update', pageSize: 50 },
  handle({ data }, work) {
    const { pageSize: _pageSize, pageToken: _pageToken, ...filters } = data;
    const list = auditPages(work, {}, filters);
    return Promise.resolve({ message: 'Audit log retrieved successfully.', list });
  },
});
