import { z } from 'zod';
import { auditEntryResponse, auditFilters, auditPages, oneTarget } from '../../audit/audit-entry.ts';
import { endpoint } from '../../http/endpoint.ts';
import { exportFormat, exportResponse } from '../../http/response/export.ts';

export const exportOperatorAuditLog = endpoint({
  paths: ['/v2/operator/auditlog/export'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: false,
  audit: { action: 'audit_log.export' },
  summary: 'Exports the audit log of all workspaces and of operators as NDJSON or CSV.',
  description:
    'CSV cells that a spreadsheet could run as formulas begin with an apostrophe. Streams all matching entries ' +
    'in one response, newest first; use `from` and `until` to bound it. The export itself has an entry in ' +
    'the audit log, recorded before it begins. Entries are kept for 365 days by default.',
  data: z.strictObject({ ...auditFilters, format: exportFormat }).check(oneTarget),
  response: exportResponse(auditEntryResponse, ['at']),
  errors: [],
  example: { format: 'csv', action: 'configuration.update' },
  handle({ data }, work) {
    const { format: _format, ...filters } = data;
    return Promise.resolve({ list: auditPages(work, {}, filters) });
  },
});
