import type { NamedTable } from './batch-by-name.ts';

/** A column of free JSON. Activity logs and notifications have their own statements: see `scrubbedKinds`. */
export interface JsonTable extends NamedTable {
  readonly type: 'json' | 'jsonb';
  /** The column's value when everything in it was personal data. */
  readonly rest: '{}' | null;
}

const metadata = (named: Omit<NamedTable, 'column'>): JsonTable => ({
  ...named,
  column: 'metadata',
  type: 'jsonb',
  rest: '{}',
});

/** Metadata of users and webhook endpoints belongs to the API key: a deletion in named organizations keeps it. */
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
