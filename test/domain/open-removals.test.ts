import { describe, expect, it } from '@jest/globals';
import { texts, users } from '../api/notification-calls.ts';
import { recording } from '../api/recordings/recordings-scene.ts';
import { aDocument, activities, withActivityLogs, type TestTenant } from '../support/factories.ts';
import { tenantScene } from '../support/document-scene.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf, type SentStatement } from '../support/statements.ts';

const prepared = async (caller: TestTenant) => {
  await withActivityLogs(caller);
  await caller.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
};
const { api, tenant } = await tenantScene({ prepare: prepared });
// A backlog of jobs of other organizations, as while no worker runs.
await api.database.sql(
  `insert into job (api_key_id, public_id, kind, status, org_id, request)
   select $1, 'open-' || n, 4, 0, -n % 500,
     case when n % 2 = 0 then '{}' else '{"records": {"of": "activities", "selection": {}}}' end::json
   from generate_series(1, 2000) n`,
  [tenant.id],
);
await withLargeTables(api.database, tenant.id);
const document = await aDocument(tenant);

/** The statements of a call that ask for open removals. */
const asking = async (path: string, members: object) => {
  const sent = await statementsOf(() => tenant.ok(path, { ...document, ...members }));
  return sent.filter(({ text }) => text.includes(`'upTo'`));
};

/** Expects that a statement searches an index of jobs, and reads no table completely. */
async function isCheap(statement: SentStatement | undefined): Promise<void> {
  const { indexes, wholeTables } = await explain(api.database, statement ?? { text: '' });
  expect(indexes).toContain('job_open_removal');
  expect(wholeTables).toEqual([]);
}

const overwrites = {
  'activities/add': (id: string) => ({ activities: activities(1, { id }) }),
  'recordings/add': (annotationId: string) => ({ recordings: [recording({ annotationId })] }),
  'notifications/add': (notificationId: string) => ({ notificationId, notifyUsers: users('ann'), ...texts }),
};

describe('the open removals of an organization', () => {
  it.each(Object.entries(overwrites))(
    'are read once by %s when a record exists, by an index',
    async (operation, members) => {
      const path = `/v2/${operation}`;
      expect(await asking(path, members('a'))).toEqual([]);
      const statements = await asking(path, members('a'));
      expect(statements).toHaveLength(1);
      await isCheap(statements[0]);
    },
  );

  it('are read by an index when collaborative data is added or changed', async () => {
    const record = { editorId: 'notes', type: 'text', data: 'Hello' };
    for (const operation of ['add', 'update']) {
      const statements = await asking(`/v2/crdt/${operation}`, record);
      expect(statements).toHaveLength(operation === 'add' ? 1 : 2);
      for (const statement of statements) await isCheap(statement);
    }
  });
});
