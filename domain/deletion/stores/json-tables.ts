import type { NamedTable } from './batch-by-name.ts';

/** How free JSON of records is found and kept, beside activity logs and notifications, which have statements of their own. */
export interface JsonTable extends NamedTable {
  readonly type: 'json' | 'jsonb';
  /** What the column holds when everything in it was a person. */
  readonly rest: '{}' | null;
}

const metadata = (named: Omit<NamedTable, 'column'>): JsonTable => ({
  ...named,
  column: 'metadata',
  type: 'jsonb',
  rest: '{}',
});

/** Metadata of users and of webhook endpoints belongs to the key: a deletion in named organizations leaves it. */
export const jsonTables: readonly JsonTable[] = [
  {
    kind: 'agentExecution',
    table: 'agent_execution',
    column: 'results',
    type: 'json',
    rest: null,
    organization: 'org_id',
  },
  metadata({ kind: 'organization', table: 'organization', organization: 'id' }),
  metadata({ kind: 'folder', table: 'folder', organization: 'org_id' }),
  metadata({ kind: 'document', table: 'document', organization: 'org_id' }),
  metadata({ kind: 'user', table: 'app_user', organization: undefined }),
  {
    ...metadata({ kind: 'webhookEndpoint', table: 'webhook_endpoint', organization: undefined }),
    type: 'json',
  },
];
