import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import type { TestClient } from '../../support/client.ts';
import { anOperator } from '../../support/factories.ts';
import { withLargeTables } from '../../support/large-tables.ts';
import { explain, isTransactionCommand, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);
const tenant = await aListeningTenant(api);
const callers: Readonly<Record<'key' | 'workspace' | 'operator', TestClient>> = {
  key: tenant,
  workspace: tenant.workspace,
  operator: anOperator(api),
};

/** Adds 2,000 other keys with 1 to 5 rows each, as in a grown installation. */
const otherKeys = [
  `insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email)
     select w.workspace_id, sha256(convert_to('filler-' || n, 'UTF8')), '', 'x', 'testing', 'x'
     from api_key w, generate_series(1, 2000) n where w.id = $1`,
  `insert into webhook_endpoint (api_key_id, public_id, url) select k.id, 'of-' || k.id, 'x' from api_key k where k.id <> $1`,
  `insert into job (api_key_id, public_id, kind, status, ended_at)
     select k.id, 'of-' || k.id || '-' || n, 4, 2, now() from api_key k, generate_series(1, 5) n where k.id <> $1`,
  `insert into usage_hour (api_key_id, starts_at)
     select k.id, date_trunc('hour', now()) - n * interval '1 hour' from api_key k, generate_series(1, 5) n where k.id <> $1`,
  `insert into channel_state (api_key_id, channel) select k.id, 1 from api_key k where k.id <> $1`,
  `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
     select 'of-' || k.id || '-' || n, k.id, -1, -n, 1, false, now() from api_key k, generate_series(1, 5) n where k.id <> $1`,
];

beforeAll(async () => {
  await anEndpoint(api, tenant, 'https://example.com/hook');
  for (const statement of otherKeys) await api.database.sql(statement, [tenant.id]);
  await withLargeTables(api.database, tenant.id, [
    'organization',
    'folder',
    'document',
    'app_user',
    'access',
    'job',
    'outgoing',
    'webhook_endpoint',
  ]);
});

const statuses = ['pending', 'in_progress', 'completed', 'failed'];
const jobFilters = [
  {},
  { kind: 'cascade' },
  ...statuses.flatMap((status) => [{ status }, { status, kind: 'cascade' }]),
];
const auditFilters = [
  {},
  { action: 'key.update' },
  { actor: 'ses_1' },
  { actorKind: 'operator', outcome: 'denied', from: 1, until: 2 },
];
const prefix = 'filler';

/** The operations that the console's own lists and figures call, with the filters that its pages offer. */
const calls: readonly (readonly [caller: keyof typeof callers, path: string, filters: readonly object[]])[] =
  [
    ['key', '/v2/overview/get', [{}]],
    ['key', '/v2/usage/get', [{ by: 'hour', from: 1_700_000_000_000 }]],
    ['key', '/v2/workspace/advancedwebhook/endpoints/health/get', [{}]],
    ['operator', '/v2/operator/webhooks/health', [{}]],
    ['key', '/v2/jobs/list', jobFilters],
    ['workspace', '/v2/workspace/jobs/list', jobFilters],
    ['operator', '/v2/operator/jobs/list', jobFilters],
    ['key', '/v2/organizations/search', [{ prefix }]],
    ['key', '/v2/organizations/documents/search', [{ prefix }, { prefix, organizationId: 'filler-1' }]],
    ['key', '/v2/users/search', [{ prefix }]],
    ['workspace', '/v2/workspace/auditlog/get', auditFilters],
    ['operator', '/v2/operator/auditlog/get', auditFilters],
  ];

/** Excluded: statements of credentials, which have their own tests, and signing keys, which are few. */
const isElsewhere = (text: string): boolean => text.includes('token_hash') || text.includes('signing_key');

/** Returns the tables that each statement reads whole, planned under the settings of its transaction. */
async function wholeTablesOf(
  sent: readonly { readonly text: string }[],
): Promise<readonly { readonly text: string; readonly wholeTables: readonly string[] }[]> {
  const found: { readonly text: string; readonly wholeTables: readonly string[] }[] = [];
  let off: readonly string[] = [];
  for (const statement of sent) {
    const { text } = statement;
    const settings = [...text.matchAll(/set_config\('(enable_\w+)', 'off'/g)].map(([, name = '']) => name);
    if (isTransactionCommand(statement)) off = [];
    else if (settings.length > 0) off = settings;
    else if (!isElsewhere(text)) {
      const { wholeTables } = await explain(api.database, statement, off);
      found.push({ text, wholeTables });
    }
  }
  return found;
}

describe('a list or a figure of the console', () => {
  it.each(calls)('reads every table by an index: a %s calls %s', async (caller, path, filters) => {
    const sent = await statementsOf(async () => {
      for (const filter of filters) await callers[caller].ok(path, filter);
    });
    const read = await wholeTablesOf(sent);
    expect(read.length).toBeGreaterThanOrEqual(filters.length);
    expect(read.filter(({ wholeTables }) => wholeTables.length > 0)).toEqual([]);
  });
});
