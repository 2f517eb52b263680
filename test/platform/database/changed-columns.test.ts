import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { migrations } from '../../../platform/database/migrations/list.ts';
import { startTestApi } from '../../support/api.ts';
import type { Response } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, aTenant, activities, freshId, withActivityLogs } from '../../support/factories.ts';
import { statementNames } from '../../support/pooler.ts';
import { inFull } from '../../support/tier.ts';
import { addedColumns } from './migrations/lists.ts';

const api = await startTestApi({ environment: { DATABASE_POOL_SIZE: '12', LOG_LEVEL: 'info' } });
afterAll(api.close);

/** Concurrent callers: more than connections, each of which has prepared statements with the earlier columns. */
const callers = 16;

/** Columns that one migration adds: one in `npm run test:long`, otherwise a third of them. */
const step = inFull ? 1 : Math.ceil(addedColumns.length / 3);

/** Whether a statement was prepared again, marked by an additional space, because PostgreSQL had refused it. */
async function renewed(): Promise<boolean> {
  const found = await api.database.sql(
    `select from pg_stat_activity where application_name = 'steward' and datname = current_database() and query ~ '\\S $'`,
  );
  return found.length > 0;
}

describe('columns that a migration adds under load', () => {
  it('fail no call and lose no write, although PostgreSQL refuses prepared statements on every connection', async () => {
    const tenant = await withActivityLogs(await aTenant(api));
    const document = await aDocument(tenant);
    const { organizationId } = document;
    const failed: string[] = [];
    const added: string[] = [];
    const { data: job } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
      ...document,
      newDocumentId: freshId('document'),
    });
    const calls: readonly (() => Promise<Response>)[] = [
      () => tenant.call('/v2/jobs/get', { jobId: job.migrationId }),
      () => tenant.call('/v2/organizations/get', { organizationIds: [organizationId] }),
      () =>
        tenant.call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } }),
      () => tenant.call('/v2/workspace/domains/add', { domains: ['example.com'] }),
      () => tenant.workspace.call('/v2/workspace/apikeys/get', { apiKeys: [tenant.apiKey] }),
      () => tenant.call('/v2/organizations/folders/get', { organizationId }),
    ];
    let made = 0;
    const write = async (): Promise<Response> => {
      const [log] = activities(1);
      const id = freshId('log');
      const response = await tenant.call('/v2/activities/add', { ...document, activities: [{ ...log, id }] });
      if (response.status === 200) added.push(id);
      return response;
    };
    const ended = new AbortController();
    const call = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        const response = await (made % 4 === 0 ? write() : (calls[made % calls.length] ?? write)());
        made += 1;
        if (response.status !== 200) failed.push(`${String(response.status)} ${response.text.slice(0, 300)}`);
      }
    };
    const running = Array.from({ length: callers }, call);
    const passed = async (number: number): Promise<void> => {
      const until = made + number;
      await eventually(() => expect(made).toBeGreaterThan(until));
    };
    await passed(200);
    for (let added = step; added < addedColumns.length + step; added += step) {
      await migrateDatabase(api.database.url, undefined, {
        list: [...migrations, ...addedColumns.slice(0, added)],
      });
      await passed(100);
    }
    if (statementNames) await eventually(renewed);
    ended.abort();
    await Promise.all(running);
    expect(failed.slice(0, 5)).toEqual([]);
    const stored = await api.database.sql<{ ext_id: string }>('select ext_id from activity');
    expect(new Set(stored.map(({ ext_id }) => ext_id))).toEqual(new Set(added));
  });
});
