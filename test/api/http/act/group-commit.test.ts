import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually, repeatUntil } from '../../../support/eventually.ts';
import {
  aDocument,
  anOrganization,
  aTenant,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../../../support/factories.ts';
import { explain, statementsOf } from '../../../support/statements.ts';
import { fence } from '../../users-calls.ts';

const api = await startTestApi();
afterAll(api.close);

const path = '/v2/activities/add';
let tenant: TestTenant;
let location: TestDocument;

/** A new key and a document of it. */
async function begin(): Promise<void> {
  tenant = await withActivityLogs(await aTenant(api));
  location = await aDocument(tenant);
}
beforeEach(begin);

/**
 * Repeats a scenario with a new key until it returns true. A slow machine may send the calls one by one, and a lock that
 * takes more than 250 ms ends grouping for a second.
 */
const untilGrouped = async (scenario: () => Promise<boolean>): Promise<void> =>
  repeatUntil(async () => {
    await begin();
    return scenario();
  });

const record = (id: string, userId = 'ada'): object => ({
  id,
  featureType: 'comment',
  actionType: 'comment.add',
  actionUser: { userId },
});
const call = (id: string, at: TestDocument = location, userId?: string) => ({
  ...at,
  activities: [record(id, userId)],
});
const add = async (id: string, at?: TestDocument, userId?: string) =>
  tenant.ok<{ activityIds: string[] }>(path, call(id, at, userId));
const numbered = (count: number, prefix = 'a'): string[] =>
  Array.from({ length: count }, (_, number) => `${prefix}-${String(number)}`);

/** Returns the tenant's stored records and the number of transactions that wrote them. */
async function written() {
  const rows = await api.database.sql<{ id: string; document: string; xmin: string }>(
    `select a.ext_id as id, d.ext_id as document, a.xmin::text as xmin
     from activity a join document d on d.id = a.document_id where a.api_key_id = $1`,
    [tenant.id],
  );
  return {
    ids: rows.map(({ id }) => id).sort(),
    documents: new Map(rows.map(({ id, document }) => [id, document])),
    transactions: new Set(rows.map(({ xmin }) => xmin)).size,
  };
}

describe('concurrent small calls of one key', () => {
  it('share transactions and each get their own response, for any organization and document', async () => {
    await untilGrouped(async () => {
      const elsewhere = await aDocument(tenant);
      const besides = await aDocument(tenant, { organizationId: location.organizationId });
      const locations = [location, elsewhere, besides];
      const ids = numbered(120);
      const responses = await Promise.all(ids.map(async (id, number) => add(id, locations[number % 3])));
      expect(responses.map(({ data }) => data.activityIds)).toEqual(ids.map((id) => [id]));
      const stored = await written();
      expect(stored.ids).toEqual([...ids].sort());
      for (const [number, id] of ids.entries())
        expect(stored.documents.get(id)).toBe(locations[number % 3]?.documentId);
      return stored.transactions < 90;
    });
  });

  it('are written even when one of them is refused', async () => {
    const wrong = { organizationId: 'unknown', documentId: 'plan' };
    const [refused, ...accepted] = await Promise.all([
      tenant.refused(path, call('lost', wrong)),
      ...numbered(30).map(async (id) => add(id)),
    ]);
    expect([refused.http, refused.status]).toEqual([404, 'NOT_FOUND']);
    expect(accepted).toHaveLength(30);
    expect((await written()).ids).toEqual(numbered(30).sort());
  });

  it('see earlier writes: of two for one id, the second overwrites the record', async () => {
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    await Promise.all(
      numbered(40).map(async (id, number) =>
        add(number % 4 === 0 ? 'same' : id, number % 8 === 0 ? other : location),
      ),
    );
    const { ids } = await written();
    expect(ids.filter((id) => id === 'same')).toHaveLength(1);
    expect(ids).toHaveLength(31);
  });

  it('create the documents and users that they name once', async () => {
    const fresh = { organizationId: location.organizationId, documentId: 'fresh', createDocument: true };
    await Promise.all(
      numbered(40).map(async (id, number) => tenant.ok(path, call(id, fresh, `user-${String(number % 7)}`))),
    );
    expect((await written()).ids).toHaveLength(40);
    const users = await api.database.sql('select 1 from app_user where api_key_id = $1', [tenant.id]);
    expect(users).toHaveLength(7);
  });

  it('are refused individually when they name a user under deletion', async () => {
    await add('known', location, 'leaving');
    await fence(api, tenant, 'leaving');
    const calls = numbered(30).map(async (id, number) =>
      number % 10 === 0 ? tenant.refused(path, call(id, location, 'leaving')) : add(id),
    );
    const responses = await Promise.all(calls);
    expect(
      responses.filter((response) => 'status' in response && response.status === 'FAILED_PRECONDITION'),
    ).toHaveLength(3);
    expect((await written()).ids).toHaveLength(28);
  });

  it('do not wait for a locked document unless they write to it', async () => {
    const held = await aDocument(tenant, { organizationId: location.organizationId });
    const holder = await api.database.connect();
    await holder.query('begin');
    await holder.query('select 1 from document where ext_id = $1 for update', [held.documentId]);
    const waiting = add('held', held);
    const others = await Promise.all(numbered(40).map(async (id) => add(id)));
    expect(others).toHaveLength(40);
    expect((await written()).ids).not.toContain('held');
    await holder.query('rollback');
    expect((await waiting).data.activityIds).toEqual(['held']);
  });

  it('do not overwrite immutable records, and write new ones', async () => {
    await add('first');
    await tenant.ok('/v2/workspace/activityconfig/update', {
      activityServiceConfig: { isEnabled: true, immutable: true },
    });
    const changed = { ...location, activities: [{ ...record('first'), actionType: 'comment.edit' }] };
    const [refused] = await Promise.all([
      tenant.refused(path, changed),
      ...numbered(20).map(async (id) => add(id)),
    ]);
    expect(refused.status).toBe('FAILED_PRECONDITION');
    expect((await written()).ids).toHaveLength(21);
  });

  it('record one event each', async () => {
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await tenant.ok('/v2/workspace/advancedwebhook/endpoints/create', { url: 'https://example.com/hook' });
    await Promise.all(numbered(60).map(async (id) => add(id)));
    const events = await api.database.sql<{ id: string }>(
      `select payload ->> 'id' as id from event where api_key_id = $1 and type = 'comment.add'`,
      [tenant.id],
    );
    expect(events.map(({ id }) => id).sort()).toEqual(numbered(60).sort());
  });

  it('add documents, each with its own outcome; the first call gets a repeated id', async () => {
    const { organizationId } = location;
    const addDocument = async (documentId: string, more: object = {}) =>
      tenant.ok<Record<string, { success: boolean; code?: string }>>('/v2/organizations/documents/add', {
        organizationId,
        documents: [{ documentId }],
        ...more,
      });
    const sent = numbered(60).map((id, number) => (number % 6 === 0 ? 'same' : id));
    const responses = await Promise.all([
      ...sent.map(async (id) => addDocument(id)),
      ...numbered(20, 'o').map(async (id) =>
        addDocument(id, { organizationId: 'made-of-it', createOrganization: true }),
      ),
      addDocument('taken').then(async () => addDocument('taken')),
    ]);
    for (const [number, { data }] of responses.entries()) {
      const id = [...sent, ...numbered(20, 'o'), 'taken'][number] ?? '';
      expect(Object.keys(data)).toEqual([id]);
      if (id !== 'same' && id !== 'taken') expect(data[id]?.success).toBe(true);
    }
    expect(responses.filter(({ data }) => data['same']?.success === true)).toHaveLength(1);
    expect(responses.filter(({ data }) => data['same']?.code === 'already-exists')).toHaveLength(9);
    expect(responses.at(-1)?.data['taken']?.code).toBe('already-exists');
    const stored = await api.database.sql('select 1 from document where api_key_id = $1', [tenant.id]);
    expect(stored).toHaveLength(1 + 50 + 1 + 20 + 1);
  });

  it('do not share a transaction with calls of other keys', async () => {
    const other = await withActivityLogs(await aTenant(api));
    const { organizationId, documentId } = location;
    await anOrganization(other, { organizationId });
    const theirs = await aDocument(other, { organizationId, documentId });
    await Promise.all([
      ...numbered(30).map(async (id) => add(id)),
      ...numbered(30, 'b').map(async (id) => other.ok(path, call(id, theirs))),
    ]);
    expect((await written()).ids).toEqual(numbered(30).sort());
  });

  it('are written once when they have the same Idempotency-Key', async () => {
    const options = { idempotencyKey: 'once' };
    await tenant.ok(path, call('one'), options);
    const again = await Promise.all([
      tenant.call(path, call('one'), options),
      ...numbered(10).map(async (id) => tenant.call(path, call(id))),
    ]);
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 200));
    expect(again[0].headers['idempotent-replayed']).toBe('true');
  });

  it('run a constant number of statements, each by an index', async () => {
    await untilGrouped(async () => {
      await add('before');
      const other = await aDocument(tenant, { organizationId: location.organizationId });
      const sent = await statementsOf(async () =>
        Promise.all(numbered(90).map(async (id, number) => add(id, number % 2 === 0 ? location : other))),
      );
      const together = sent.filter(({ text, values }) => values.length > 0 && !text.includes('set_config'));
      for (const statement of together)
        expect((await explain(api.database, statement)).wholeTables).toEqual([]);
      return sent.length < 90 && together.some(({ text }) => text.includes('with requested as'));
    });
  });

  it('all fail when the database goes away, and are written once it is back', async () => {
    const holder = await api.database.connect();
    await holder.query('begin');
    await holder.query('select 1 from document where ext_id = $1 for update', [location.documentId]);
    const calls = numbered(20).map(async (id) => tenant.call(path, call(id)));
    await eventually(async () => {
      const waits = await api.database.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waits.length > 0;
    });
    await api.database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'steward' and datname = current_database() and wait_event_type = 'Lock'`,
    );
    await holder.query('rollback');
    const responses = await Promise.all(calls);
    const done = numbered(20).filter((_, number) => responses[number]?.status === 200);
    for (const { status } of responses) expect([200, 503]).toContain(status);
    expect((await written()).ids).toEqual(done.sort());
    await add('after');
  });
});
