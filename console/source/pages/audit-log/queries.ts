import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { operatorClient, workspaceClient } from '../../session/clients.ts';
import { refreshEvery } from '../../session/query-client.ts';
import type { Session } from '../../session/session.ts';
import type { AuditSearch } from './filters.ts';

export const auditLogQuery = (kind: Session['kind'], search: AuditSearch) =>
  queryOptions({
    queryKey: [kind, 'audit-log', search],
    queryFn: async ({ signal }) => {
      const request = { ...search, pageSize: 50 };
      return kind === 'operator'
        ? await operatorClient.operator.auditLog.get(request, { signal })
        : await workspaceClient.workspace.auditLog.get(request, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery(10_000),
  });

/** Max size of an export in a browser; the API streams larger ones. */
const maxBytes = 200 * 1_024 * 1_024;

/** Returns the entries that match as CSV. */
export async function exportAuditLog(kind: Session['kind'], search: AuditSearch): Promise<readonly string[]> {
  const { pageToken: _, ...filters } = search;
  const request = { ...filters, format: 'csv' } as const;
  const body =
    kind === 'operator'
      ? await operatorClient.operator.auditLog.export(request)
      : await workspaceClient.workspace.auditLog.export(request);
  const parts: string[] = [];
  let bytes = 0;
  const decoder = new TextDecoder();
  // Not every Safari can iterate over a stream.
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new Error('The export is larger than 200 MiB: export a shorter period.');
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}
