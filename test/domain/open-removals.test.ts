import { describe, expect, it } from '@jest/globals';
import { texts, users } from '../api/notification-calls.ts';
import { recording } from '../api/recordings/recordings-scene.ts';
import {
  aDocument,
  activities,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
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
await withLargeTables(api.database, tenant.id, [
  'organization',
  'folder',
  'document',
  'activity',
  'notification',
  'crdt',
  'job',
]);
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

/** Bulk updates of 1,000 records, which a test first adds with these ids. */
const ids = Array.from({ length: 1_000 }, (_, n) => `bulk-${String(n)}`);
const bulkUpdates = {
  'activities/update': {
    add: async (location: TestDocument) =>
      tenant.ok('/v2/activities/add', {
        ...location,
        activities: ids.map((id) => activities(1, { id })[0]),
      }),
    members: { activities: ids.map((id) => ({ id, displayMessageTemplate: 'Changed' })) },
  },
  'commentannotations/update': {
    add: async (location: TestDocument) =>
      tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: ids.map((annotationId) => ({
          annotationId,
          commentData: [{ from: { userId: 'ada' } }],
        })),
      }),
    members: { updatedData: { location: { id: 'moved' } } },
  },
  'notifications/update': {
    add: async (location: TestDocument) => {
      const request = { ...location, notificationId: 'original', notifyUsers: users('ann'), ...texts };
      await tenant.ok('/v2/notifications/add', request);
      await api.database.sql(
        `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
         select n.api_key_id, n.org_id, n.document_id, s.id, n.source, n.actor_id, n.ts, 0, n.body
         from notification n join organization o on o.id = n.org_id, unnest($3::text[]) as s (id)
         where n.ext_id = 'original' and n.api_key_id = $1 and o.ext_id = $2`,
        [tenant.id, location.organizationId, ids],
      );
    },
    members: { notifications: ids.map((id) => ({ id, location: { id: 'moved' } })) },
  },
};

describe('an open removal of 1 MB', () => {
  // Parsed once per record, the job would make each of these calls exceed its time limit.
  it.each(Object.entries(bulkUpdates))(
    'is parsed once per statement when %s changes 1,000 records',
    async (operation, { add, members }) => {
      const location = await aDocument(tenant);
      await add(location);
      const recordingIds = ids.map((id) => `${id}-${'x'.repeat(1_000)}`);
      await api.database.sql(
        `insert into job (api_key_id, public_id, kind, status, org_id, request)
         select $1, 'large-' || o.id, 4, 0, o.id, $3 from organization o where o.api_key_id = $1 and o.ext_id = $2`,
        [
          tenant.id,
          location.organizationId,
          JSON.stringify({
            records: { of: 'recordings', selection: { document: null, recordingIds, upTo: '1' } },
          }),
        ],
      );
      const { documentId: _, ...organization } = location;
      const of = operation === 'activities/update' ? organization : location;
      const updated: { readonly data?: object }[] = [];
      const sent = await statementsOf(async () =>
        updated.push(await tenant.ok<object>(`/v2/${operation}`, { ...of, ...members })),
      );
      const outcomes: unknown[] = Object.values(updated[0]?.data ?? {});
      expect(outcomes).toEqual(ids.map(() => expect.objectContaining({ success: true })));
      const asked = sent.filter(({ text }) => text.includes(`'upTo'`));
      expect(asked.length).toBeGreaterThan(0);
      for (const statement of asked) await isCheap(statement);
    },
  );
});
