import { afterAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { findJob } from '../../domain/jobs/find-job.ts';
import { beginJob } from '../../domain/jobs/job-steps.ts';
import { owners, scannedTables } from '../../domain/key-deletion/key-tables.ts';
import { removeKey } from '../../domain/key-deletion/remove-key.ts';
import { rowsByOwner } from '../../domain/key-deletion/verify-key-deletion.ts';
import { deleteEmptiedKeys } from '../../domain/maintenance/delete-expired.ts';
import { startTestApi } from '../support/api.ts';
import { signIn } from '../support/console.ts';
import { endCallsOfDeletedKeys } from '../support/deleted-keys.ts';
import { anOperator, aTenant, aWorkspace, freshId, type TestTenant } from '../support/factories.ts';
import { happened } from '../support/webhooks.ts';
import { aWorld } from '../support/world.ts';

const api = await startTestApi();
afterAll(api.close);

const operator = anOperator(api);
const sql: typeof api.database.sql = (text, values) => api.database.sql(text, values);
const signer = { keyRing: api.keyRing, issuer: 'https://steward.test', journal: undefined };

/** Tables of the catalog with one of these columns; by default, with the column of the key. */
const tablesOfKeys = async (columns: readonly string[] = ['api_key_id']): Promise<string[]> => {
  const found = await sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = any($1)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid) order by 1`,
    [columns],
  );
  return found.map(({ name }) => name);
};

/** The tables with rows of a key, other than the job of its deletion. */
async function left({ id }: TestTenant, jobId: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tablesOfKeys()) {
    const others = table === 'job' ? `and public_id <> '${jobId}'` : '';
    const rows = await sql(`select 1 from ${table} where api_key_id = $1 ${others} limit 1`, [id]);
    if (rows.length > 0) found.push(table);
  }
  const responses = await sql('select 1 from idempotency where scope = 3 and scope_id = $1', [id]);
  if (responses.length > 0) found.push('idempotency');
  const sessions = await sql(`select 1 from console_session where kind = 'apiKey' and owner_id = $1`, [id]);
  if (sessions.length > 0) found.push('console_session');
  return found;
}

/** Its calls use a separate API, which writes their usage when it stops. */
async function aFullTenant(): Promise<TestTenant> {
  const own = await startTestApi({ database: api.database });
  const { tenant } = await aWorld(own);
  await happened(own, tenant, [{}, {}]);
  const organizations = [{ organizationId: freshId('organization') }];
  await tenant.ok('/v2/organizations/add', { organizations }, { headers: { 'idempotency-key': 'once' } });
  await signIn(own, { apiKey: tenant.apiKey, authToken: tenant.authToken });
  await own.close();
  return tenant;
}

async function deleted({ keyId }: TestTenant, requestId = freshId('request')): Promise<string> {
  const { data: key } = await operator.ok<{ name: string }>('/v2/operator/keys/get', { keyId });
  const request = { keyId, confirmName: key.name };
  const { data } = await operator.ok<{ jobId: string }>('/v2/operator/keys/delete', request, {
    headers: { 'x-request-id': requestId },
  });
  return data.jobId;
}

const pass = async (): Promise<void> => endCallsOfDeletedKeys(api.database);

/** Runs the job until it ends, or for a number of steps like a process that is then killed. */
async function work(jobId: string, steps = Infinity): Promise<boolean> {
  await beginJob(api.orm, jobId);
  const job = await findJob(api.orm.em.fork(), jobId);
  if (job === null) throw new Error('The job is gone.');
  let done = 0;
  for await (const _ of removeKey(api.orm, job, signer)) {
    done += 1;
    if (done >= steps) return false;
  }
  return true;
}

describe('the deletion of a key', () => {
  it('must be confirmed by the name of the key', async () => {
    const tenant = await aTenant(api);
    const { keyId, apiKey, workspace } = tenant;
    const refusal = { status: 'INVALID_ARGUMENT', message: 'confirmName must be the name of the API key.' };
    const wrong = { confirmName: 'Another' };
    expect(await operator.refused('/v2/operator/keys/delete', { keyId, ...wrong })).toMatchObject(refusal);
    expect(await workspace.refused('/v2/workspace/apikey/delete', { apiKey, ...wrong })).toMatchObject(
      refusal,
    );
    expect((await tenant.call('/v2/organizations/get', {})).status).toBe(200);
  });

  it('refuses and hides the key at once, and shows its status to its workspace and to operators only', async () => {
    const tenant = await aTenant(api);
    const { keyId, apiKey, workspace } = tenant;
    const jobId = await deleted(tenant, 'deletes-1');
    expect(await sql('select request_id from job where public_id = $1', [jobId])).toEqual([
      { request_id: 'deletes-1' },
    ]);
    expect(await tenant.refused('/v2/organizations/get', {})).toMatchObject({
      http: 403,
      message: 'Invalid API key.',
    });
    expect((await workspace.ok('/v2/workspace/apikeys/get', {})).data).toEqual([]);
    const missing = { status: 'NOT_FOUND', message: 'API key not found.' };
    for (const verb of ['get', 'disable', 'enable'])
      expect(await operator.refused(`/v2/operator/keys/${verb}`, { keyId })).toMatchObject(missing);
    const again = { apiKey, confirmName: 'x' };
    expect(await workspace.refused('/v2/workspace/apikey/delete', again)).toMatchObject(missing);
    const status = { jobId, keyId, status: 'pending', removedRows: 0, verifiedAt: null, receipt: null };
    for (const [client, path] of [
      [workspace, '/v2/workspace/apikey/deletion/get'],
      [operator, '/v2/operator/keys/deletion/get'],
    ] as const)
      expect((await client.ok(path, { jobId })).data).toMatchObject(status);
    const stranger = await aWorkspace(api);
    expect(await stranger.refused('/v2/workspace/apikey/deletion/get', { jobId })).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('removes every row of the key and no row of another, even when interrupted after each step', async () => {
    const [tenant, other] = [await aFullTenant(), await aFullTenant()];
    const before = await left(other, '');
    const jobId = await deleted(tenant);
    const found = await left(tenant, jobId);
    expect(found.length).toBeGreaterThan(25);
    expect(found).toEqual(expect.arrayContaining(['idempotency', 'console_session']));
    // A call that was authenticated before the deletion writes late.
    await work(jobId, 200);
    await sql(`insert into organization (api_key_id, ext_id, name) values ($1, 'late', 'x')`, [tenant.id]);
    await pass();
    for (let steps = 1; !(await work(jobId, steps)); steps += 1);
    expect(await left(tenant, jobId)).toEqual([]);
    expect(await left(other, '')).toEqual(before);
    const [key] = await sql('select name, owner_email from api_key where id = $1', [tenant.id]);
    expect(key).toEqual({ name: '', owner_email: '' });
  });

  it('does not end while its calls may still write, when the clock of the API is an hour behind', async () => {
    const tenant = await aTenant(api);
    const jobId = await deleted(tenant);
    await sql(`update api_key set deleted_at = deleted_at - interval '1 hour' where id = $1`, [tenant.id]);
    await sql(
      `update key_deletion set requested_at = requested_at - interval '100 seconds' where key_id = $1`,
      [tenant.keyId],
    );
    // More than one round of all tables.
    expect(await work(jobId, 60)).toBe(false);
    await pass();
    expect(await work(jobId)).toBe(true);
  });

  it('ends with a signed receipt, and repeating its work changes nothing', async () => {
    const tenant = await aFullTenant();
    const jobId = await deleted(tenant);
    await pass();
    await work(jobId);
    const path = '/v2/operator/keys/deletion/get';
    const { data } = await operator.ok<{ receipt: string; removedRows: number }>(path, { jobId });
    expect(data).toMatchObject({ status: 'completed', verifiedAt: expect.any(Number) });
    expect(data.removedRows).toBeGreaterThan(20);
    const keys = (await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(data.receipt, createLocalJWKSet(keys));
    expect(protectedHeader.typ).toBe('key-deletion-receipt+jws');
    expect(payload).toMatchObject({
      iss: signer.issuer,
      aud: tenant.workspace.workspaceId,
      sub: tenant.keyId,
      jobId,
      rows: data.removedRows,
    });
    await work(jobId);
    expect((await operator.ok(path, { jobId })).data).toEqual(data);
    const kept = async (days: number): Promise<boolean> => {
      await sql(`update api_key set deleted_at = now() - $2 * interval '1 day' where id = $1`, [
        tenant.id,
        days,
      ]);
      await deleteEmptiedKeys(api.orm.em.fork());
      return (await sql('select 1 from api_key where id = $1', [tenant.id])).length > 0;
    };
    expect(await kept(397)).toBe(true);
    await sql('delete from job where api_key_id = $1', [tenant.id]);
    expect(await kept(395)).toBe(true);
    // A worker of release 0.2.0 leaves them.
    await sql('insert into request_bucket values ($1, 1, 1, 1, 0, now())', [tenant.id]);
    await sql('insert into channel_state (api_key_id, channel) values ($1, 1)', [tenant.id]);
    expect(await kept(397)).toBe(false);
    expect(await sql('select from channel_state where api_key_id = $1', [tenant.id])).toEqual([]);
    expect((await operator.ok(path, { jobId })).data).toEqual(data);
  });

  it('keeps audit entries, which the plain userId finds until their retention ends', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/users/data/delete', { userIds: ['ada'], dryRun: true });
    const found = async () =>
      (await operator.ok<object[]>('/v2/operator/auditlog/get', { userId: 'ada', keyId: tenant.keyId })).data;
    const entries = await found();
    expect(entries).toEqual([expect.objectContaining({ action: 'user_data.delete' })]);
    const jobId = await deleted(tenant);
    await pass();
    await work(jobId);
    await sql('delete from job where api_key_id = $1', [tenant.id]);
    await sql(`update api_key set deleted_at = now() - interval '365 days' where id = $1`, [tenant.id]);
    await deleteEmptiedKeys(api.orm.em.fork());
    expect(await found()).toEqual(entries);
  });
});

/** Removed before their organizations, which they reference by a foreign key. */
const tablesByOrganization = [
  'folder',
  'document',
  'activity',
  'notification',
  'crdt',
  'crdt_update',
  'crdt_event',
  'thread',
  'recording',
  'user_group',
];

describe('the tables of a key deletion', () => {
  it('are all tables of the catalog that have a key', async () => {
    const known = new Set([
      ...scannedTables,
      ...tablesByOrganization,
      ...owners.flatMap(({ dependents }) => Object.keys(dependents)),
    ]);
    const unknown = (await tablesOfKeys()).filter((table) => !known.has(table));
    expect(unknown).toEqual([]);
  });

  it('are all tables of the catalog that name an owner by kind and key', async () => {
    const known = Object.keys(rowsByOwner({ apiKeyId: '1' })).sort();
    expect(await tablesOfKeys(['scope_id', 'owner_id'])).toEqual(known);
  });

  it('are read by an index that begins with the key, or with the owner', async () => {
    const found = await sql<{ name: string; column: string }>(
      `select c.relname as name, a.attname as column from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where c.relnamespace = 'public'::regnamespace and i.indpred is null`,
    );
    const indexed = new Set(found.map(({ name, column }) => `${name}.${column}`));
    const needed = [
      ...scannedTables.map((table) => `${table}.api_key_id`),
      ...owners.flatMap(({ dependents }) =>
        Object.entries(dependents).map(([table, column]) => `${table}.${column}`),
      ),
    ];
    expect(needed.filter((column) => !indexed.has(column))).toEqual([]);
  });
});
