import type { JsonKind } from '../../users/json-name.entity.ts';

/** How free JSON of records is found and kept, beside activity logs and notifications, which have statements of their own. */
export interface JsonTable {
  readonly kind: JsonKind;
  readonly table: string;
  /** The column of the JSON; `rest` is what it holds when everything in it was a person. */
  readonly column: string;
  readonly type: 'json' | 'jsonb';
  readonly rest: '{}' | null;
  /** SQL: a record `t` lies in one of the organizations `$1`; undefined for what belongs to the key as a whole. */
  readonly inOrganizations: string | undefined;
}

const ofOrganization = 't.org_id = any($1::bigint[])';

const metadata = (kind: JsonKind, table: string, inOrganizations: string | undefined): JsonTable => ({
  kind,
  table,
  column: 'metadata',
  type: 'jsonb',
  rest: '{}',
  inOrganizations,
});

/** Metadata of users and of webhook endpoints belongs to the key: a deletion in named organizations leaves it. */
export const jsonTables: readonly JsonTable[] = [
  {
    kind: 'agentExecution',
    table: 'agent_execution',
    column: 'results',
    type: 'json',
    rest: null,
    inOrganizations: ofOrganization,
  },
  metadata('organization', 'organization', 't.id = any($1::bigint[])'),
  metadata('folder', 'folder', ofOrganization),
  metadata('document', 'document', ofOrganization),
  metadata('user', 'app_user', undefined),
  { ...metadata('webhookEndpoint', 'webhook_endpoint', undefined), type: 'json' },
];
