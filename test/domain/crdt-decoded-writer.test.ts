import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { DecodedWriter } from '../../domain/crdt/write-decoded.ts';
import { withConnectionsOf } from '../../platform/database/connection-shares.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { kyselyOf } from '../../platform/database/statements.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

/** Three quarters of the three connections of `api.orm`. */
const share = 2;

describe('decoded content', () => {
  it('is saved while the key of its first reader uses all of its connections', async () => {
    const tenant = await aTenant(api);
    const location = await aDocument(tenant);
    await tenant.ok('/v2/crdt/add', { ...location, editorId: 'e', type: 'array', data: [] });
    const [record] = await api.database.sql<{ id: string; version: string; stateRevision: string }>(
      `update crdt set version = version + 1 where api_key_id = $1
       returning id, version, state_revision as "stateRevision"`,
      [tenant.id],
    );
    if (record === undefined) throw new Error('Nothing is stored.');
    const writer = new DecodedWriter(api.orm.em);
    const decoded = new TextEncoder().encode('["decoded"]');
    const end = Promise.withResolvers<undefined>();
    await withConnectionsOf('reader', async () => {
      const held = Array.from({ length: share }, async () =>
        inTransaction(api.orm, async (em) => {
          await sql`select`.execute(kyselyOf(em));
          await end.promise;
        }),
      );
      writer.add([{ tenantId: tenant.id, base: record, state: null, decoded }]);
      await eventually(async () => {
        const rows = await api.database.sql('select decoded from crdt where api_key_id = $1', [tenant.id]);
        expect(rows).toEqual([{ decoded: '["decoded"]' }]);
      });
      end.resolve(undefined);
      await Promise.all(held);
    });
  });

  it('waits with at most 8 MiB in memory', async () => {
    const tenant = await aTenant(api);
    const location = await aDocument(tenant);
    const editorIds = ['a', 'b', 'c', 'd', 'last'];
    for (const editorId of editorIds)
      await tenant.ok('/v2/crdt/add', { ...location, editorId, type: 'array', data: [] });
    const records = await api.database.sql<{ id: string; version: string; stateRevision: string }>(
      `with stale as (update crdt set version = version + 1 where api_key_id = $1
         returning id, version, state_revision, editor_id)
       select id, version, state_revision as "stateRevision" from stale order by editor_id`,
      [tenant.id],
    );
    const writer = new DecodedWriter(api.orm.em);
    const contentOf = (base: (typeof records)[number], text: string) => ({
      tenantId: tenant.id,
      base,
      state: null,
      decoded: new TextEncoder().encode(JSON.stringify(text)),
    });
    const saved = async () =>
      (
        await api.database.sql<{ editor: string }>(
          'select editor_id as editor from crdt where api_key_id = $1 and decoded_version = version order by 1',
          [tenant.id],
        )
      ).map(({ editor }) => editor);
    writer.add(records.slice(0, -1).map((record) => contentOf(record, 'x'.repeat(3 * 1_048_576))));
    await eventually(async () => expect(await saved()).toContain('b'));
    writer.add(records.slice(-1).map((record) => contentOf(record, 'after all that waited')));
    await eventually(async () => expect(await saved()).toContain('last'));
    expect(await saved()).toEqual(['a', 'b', 'last']);
  });
});
