import type { NamedTable } from './batch-by-name.ts';

/** A column of metadata. Other free JSON has statements of its own: see `scrubbedKinds` and `agentExecutionJson`. */
export interface JsonTable extends NamedTable {
  readonly type: 'json' | 'jsonb';
}

const metadata = (named: Omit<NamedTable, 'column'>): JsonTable => ({
  ...named,
  column: 'metadata',
  type: 'jsonb',
});

/** Metadata of users and webhook endpoints belongs to the API key: a deletion in named organizations keeps it. */
export const jsonTables: readonly JsonTable[] = [
  metadata({ kind: 'organization', table: 'organization', organization: 'id' }),
  metadata({ kind: 'folder', table: 'folder', organization: 'org_id' }),
  metadata({ kind: 'document', table: 'document', organization: 'org_id' }),
  metadata({ kind: 'user', table: 'app_user', organization: undefined }),
  {
    ...metadata({ kind: 'webhookEndpoint', table: 'webhook_endpoint', organization: undefined }),
    type: 'json',
  },
];
