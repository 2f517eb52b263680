import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeniedAttempts } from '../../api/http/act/denied-attempts.ts';
import { csvCell } from '../../api/http/response/export.ts';
import { authTokenIdOf } from '../../domain/workspaces/key-ids.ts';
import { startTestApi } from '../support/api.ts';
import { issuesOf, type TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOperator, aTenant, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

interface Entry {
  readonly at: number;
  readonly action: string;
  readonly target: string | null;
  readonly address: string | null;
  readonly actorKind: string;
  readonly keyId: string;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const get = '/v2/workspace/auditlog/get';
// Long enough that no random id contains it.
const person = 'ada-the-person';
const listed = async (client: TestClient, filters: object = {}): Promise<Entry[]> =>
  (await client.ok<Entry[]>(get, filters)).data;
const actions = (entries: readonly Entry[]): string[] => entries.map(({ action }) => action);

let tenant: TestTenant;
let sibling: TestTenant;
let began: number;

beforeAll(async () => {
  tenant = await aTenant(api);
  sibling = await aTenant(api, { workspace: tenant.workspace });
  began = Date.now();
  await tenant.ok('/v2/workspace/domains/add', { domains: ['example.com'] });
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await sibling.ok('/v2/workspace/domains/add', { domains: ['example.org'] });
  await sibling.ok('/v2/users/data/delete', { userIds: [person] });
  await tenant.workspace.ok('/v2/workspace/apikey/update', { apiKey: tenant.apiKey, apiKeyName: '=1+1' });
});

describe('workspace/auditlog/get', () => {
  it('does not show how many attempts were omitted in other workspaces, which operators see', async () => {
    const [attacked, other] = [await aTenant(api), await aTenant(api)];
    const reasons: string[] = [];
    const attempts = new DeniedAttempts({
      orm: api.orm,
      keyRing: api.keyRing,
      onFailure: (reason) => void reasons.push(reason),
    });
    const deny = ({ workspaceId }: { readonly workspaceId: string }, address: string): void => {
      const actor = { kind: 'workspace', id: null, address, requestId: null } as const;
      attempts.record({ actor, action: 'key.create', workspaceId, onlyKnown: true });
    };
    for (let attempt = 0; attempt < 60; attempt += 1) deny(attacked.workspace, '192.0.2.1');
    deny(other.workspace, '198.51.100.1');
    const [entry] = await eventually(async () => {
      const found = await listed(other.workspace);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(entry).toMatchObject({ outcome: 'denied', notRecorded: 0 });
    const operator = anOperator(api);
    const seen = await operator.ok<Entry[]>('/v2/operator/auditlog/get', { action: 'key.create' });
    expect(seen.data).toContainEqual({ ...entry, notRecorded: 40 });
    const exported = await other.workspace.call('/v2/workspace/auditlog/export', {});
    expect(exported.text).toContain('"notRecorded":0}');
    expect(reasons).toEqual([]);
  });

  it('lists the acts on every key of the workspace, newest first, and none of another workspace', async () => {
    expect(actions(await listed(tenant.workspace))).toEqual([
      'key.update',
      'user_data.delete',
      'domains.add',
      'configuration.update',
      'domains.add',
    ]);
    const other = await aTenant(api);
    expect(await listed(other.workspace)).toEqual([]);
    expect(await listed(other.workspace, { keyId: tenant.keyId })).toEqual([]);
    expect(await listed(other.workspace, { target: tenant.keyId })).toEqual([]);
  });

  it('lists acts of a key on records that its customer named like another workspace', async () => {
    const [own, other] = [await aTenant(api), await aTenant(api)];
    const organizationId = other.workspace.workspaceId;
    await own.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
    await own.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    expect(await listed(own.workspace)).toMatchObject([
      { action: 'organization.delete', target: organizationId, keyId: own.keyId },
    ]);
    expect(await listed(other.workspace)).toEqual([]);
  });

  it('filters by action, target, actor, key, outcome and time', async () => {
    const { workspace, keyId } = tenant;
    expect(await listed(workspace, { action: 'domains.add' })).toHaveLength(2);
    expect(actions(await listed(workspace, { target: keyId }))).toEqual(['key.update', 'domains.add']);
    expect(actions(await listed(workspace, { actor: authTokenIdOf(tenant.authToken) }))).toEqual([
      'configuration.update',
      'domains.add',
    ]);
    expect(actions(await listed(workspace, { actorKind: 'workspace' }))).toEqual(['key.update']);
    expect(actions(await listed(workspace, { keyId: sibling.keyId }))).toEqual([
      'user_data.delete',
      'domains.add',
    ]);
    expect(await listed(workspace, { outcome: 'denied' })).toEqual([]);
    expect(await listed(workspace, { until: began - 60_000 })).toEqual([]);
    const [newest] = await listed(workspace);
    expect(await listed(workspace, { from: began - 60_000, until: newest?.at ?? 0 })).toHaveLength(4);
  });

  it('finds a user by the plain userId, in one key or in all of the workspace', async () => {
    const { workspace } = tenant;
    expect(actions(await listed(workspace, { userId: person }))).toEqual(['user_data.delete']);
    expect(await listed(workspace, { userId: person, keyId: sibling.keyId })).toHaveLength(1);
    expect(await listed(workspace, { userId: person, keyId: tenant.keyId })).toEqual([]);
    expect(await listed(workspace, { userId: 'grace' })).toEqual([]);
    expect(JSON.stringify(await listed(workspace))).not.toContain(person);
    const refused = await workspace.refused(get, { userId: person, target: 'x' });
    expect(issuesOf(refused)).toEqual({ 'data.target': 'target and userId exclude each other.' });
  });

  it('pages to the end without gaps or repetitions, also where few entries match', async () => {
    const paged: Entry[] = [];
    let pageToken: string | undefined;
    do {
      const page = await tenant.workspace.ok<Entry[]>(get, { pageSize: 2, ...(pageToken && { pageToken }) });
      paged.push(...page.data);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(paged).toEqual(await listed(tenant.workspace));
  });
});

describe('operator/auditlog/get', () => {
  it('lists the acts of all workspaces, with the addresses of operators', async () => {
    const operator = anOperator(api);
    const { data: made } = await operator.ok<{ id: string }>('/v2/workspace/create', {
      ownerEmail: 'ada@example.com',
    });
    const all = '/v2/operator/auditlog/get';
    const [created] = (await operator.ok<Entry[]>(all, { target: made.id })).data;
    expect(created).toMatchObject({ action: 'workspace.create', address: '127.0.0.1' });
    const { data } = await operator.ok<Entry[]>(all, { keyId: tenant.keyId });
    expect(actions(data)).toEqual(['key.update', 'configuration.update', 'domains.add']);
    expect((await operator.ok<Entry[]>(all, { userId: person })).data).toHaveLength(1);
  });
});

describe('workspace/auditlog/export', () => {
  const path = '/v2/workspace/auditlog/export';

  it('streams the same entries as NDJSON, and is itself an entry', async () => {
    const { headers, text } = await tenant.workspace.call(path, { action: 'domains.add' });
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line) as Entry)).toEqual(
      await listed(tenant.workspace, { action: 'domains.add' }),
    );
    expect(await listed(tenant.workspace, { action: 'audit_log.export' })).toHaveLength(1);
  });

  it('writes CSV with a header line, ISO times and texts that no spreadsheet executes', async () => {
    const { headers, text } = await tenant.workspace.call(path, { format: 'csv', action: 'key.update' });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names, line, end] = text.split('\r\n');
    expect(names?.split(',').slice(0, 5)).toEqual(['id', 'at', 'workspaceId', 'keyId', 'actorKind']);
    expect(line).toMatch(/^[\da-f-]{36},\d{4}-\d\d-\d\dT[\d:.]+Z,/);
    expect(line).toContain('"{""apiKeyName"":""=1+1""}"');
    expect(end).toBe('');
  });

  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@sum', `"'@sum"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['plain', 'plain'],
    ['', ''],
  ])('writes the cell %j as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it('streams thousands of entries of every partition in order', async () => {
    const big = await aTenant(api);
    await api.database.sql(
      `insert into audit_entry (at, workspace_id, actor_kind, action, outcome)
       select now() - n * interval '1 minute', $1, 'operator', 'key.disable', 'succeeded' from generate_series(1, 3000) n`,
      [big.workspace.workspaceId],
    );
    const { text } = await big.workspace.call(path, { action: 'key.disable' });
    const times = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Entry).at);
    expect(times).toHaveLength(3_000);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });
});
