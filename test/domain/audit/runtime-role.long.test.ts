import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aClient } from '../../support/client.ts';
import { aDatabase, type TestDatabase } from '../../support/database.ts';
import { operatorToken } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { aRuntimeRole, type RuntimeRole } from '../../support/runtime-role.ts';
import { aNamespace } from '../../support/temporal.ts';

let database: TestDatabase;
let role: RuntimeRole;
let api: TestProcess;
let worker: TestProcess;

beforeAll(async () => {
  database = await aDatabase();
  role = await aRuntimeRole(database);
  const namespace = await aNamespace();
  [api, worker] = await Promise.all([
    startProcess('api', role.url, namespace),
    startProcess('worker', role.url, namespace),
  ]);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await role.drop();
  await database.drop();
});

describe('API and worker processes with a role of their own', () => {
  it('complete jobs, maintain partitions, and record entries that the role cannot change', async () => {
    const operator = aClient(api.url, { 'x-svc-operator-token': operatorToken });
    const { data: made } = await operator.ok<{ id: string; authToken: string }>('/v2/workspace/create', {
      ownerEmail: 'owner@example.com',
    });
    const workspace = aClient(api.url, {
      'x-svc-workspace-id': made.id,
      'x-svc-workspace-auth-token': made.authToken,
    });
    const { data: key } = await workspace.ok<{ apiKey: string; authToken: string }>(
      '/v2/workspace/apikey/create',
      { ownerEmail: 'owner@example.com', type: 'testing' },
    );
    const tenant = aClient(api.url, { 'x-svc-api-key': key.apiKey, 'x-svc-auth-token': key.authToken });
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['ada'] });
    const { jobId } = await tenant.ok('/v2/organizations/delete', { organizationIds: ['acme'] });
    for (const id of [data.jobId, jobId]) {
      await eventually(async () => {
        const job = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId: id });
        expect(job.data.status).toBe('completed');
      });
    }
    await eventually(async () => {
      const days = await database.sql(
        `select from pg_inherits where inhparent = 'event'::regclass and inhrelid::regclass::text ~ '\\d{8}$'`,
      );
      expect(days.length).toBeGreaterThanOrEqual(8);
    });
    const { data: entries } = await workspace.ok<{ action: string }[]>('/v2/workspace/auditlog/get');
    expect(entries.map(({ action }) => action)).toEqual([
      'organization.delete',
      'user_data.delete',
      'key.create',
      'workspace.create',
    ]);
    expect([...api.log, ...worker.log].filter((line) => /permission denied|42501/.test(line))).toEqual([]);
    await expect(
      database.sql(`set role ${new URL(role.url).username}; delete from audit_entry`),
    ).rejects.toThrow('permission denied');
  });
});
