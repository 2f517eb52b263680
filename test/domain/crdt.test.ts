import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { recordDueEvents } from '../../domain/crdt/record-due-events.ts';
import { collaborativeRecords } from '../../domain/crdt/crdt-records.ts';
import { removeRemainingRecords } from '../../domain/crdt/delete-records.ts';
import {
  applyChange,
  prepareUpdate,
  updateRecord,
  type CrdtChange,
} from '../../domain/crdt/update-record.ts';
import { loadBase } from '../../domain/crdt/resolve-record.ts';
import { DecodedWriter } from '../../domain/crdt/write-decoded.ts';
import { plainBytes } from '../../domain/crdt/stored-bytes.ts';
import { runYjsWork } from '../../domain/crdt/yjs-work.ts';
import type { RecordBatch, RecordRange } from '../../domain/documents/record-kind.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
const decodedWriter = new DecodedWriter(api.orm.em);
afterAll(api.close);

let tenant: TestTenant;
let location: TestDocument;
beforeEach(async () => {
  tenant = await aTenant(api);
  location = await aDocument(tenant);
});

const add = async (members: object = {}) =>
  tenant.ok('/v2/crdt/add', { ...location, editorId: 'e', type: 'array', data: [], ...members });
const content = async (): Promise<unknown> =>
  (await tenant.ok<{ data: unknown }[]>('/v2/crdt/get', { ...location, editorId: 'e' })).data[0]?.data;
/** Content in the form that a thread returns. */
const json = (content: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(content));
const state = async () => {
  const [found] = await api.database.sql<{ state: Buffer; log: number; fresh: boolean }>(
    `select state, decoded_version = version as fresh, (select count(*)::int from crdt_update where crdt_id = c.id) as log
     from crdt c where api_key_id = $1`,
    [tenant.id],
  );
  if (found === undefined) throw new Error('Nothing is stored.');
  return found;
};

describe('concurrent writers', () => {
  /** A change that was read and applied but is not yet written. */
  const applied = async (
    change: CrdtChange['change'],
    { isLast, ...measured }: { readonly tookMs?: number; readonly isLast?: boolean } = {},
  ) => {
    const owner = { id: tenant.id, switches: {} } as Tenant;
    const sent: CrdtChange = { ...location, editorId: 'e', change };
    const found = await inTransaction(api.orm, async (em) => prepareUpdate(em, owner, sent));
    const base = await loadBase(api.orm.em, owner, found);
    // On any machine, only the changes of a test that says so are costly.
    const outcome = { ...(await applyChange(owner, base, sent)), tookMs: 0, ...measured };
    return async () => inTransaction(api.orm, async (em) => updateRecord(em, owner, sent, outcome, isLast));
  };
  const pushing = (item: string): CrdtChange['change'] => {
    const doc = new Y.Doc();
    doc.getArray('content').push([item]);
    return { kind: 'merge', update: Y.encodeStateAsUpdate(doc) };
  };

  it('do not apply costly content again under the lock of its row, before the last attempt', async () => {
    await add();
    const replacing = async (tookMs: number, isLast = false) =>
      applied({ kind: 'replace', data: [String(tookMs)] }, { tookMs, isLast });
    const [first, quick, costly] = [await replacing(0), await replacing(1), await replacing(10_000)];
    const last = await replacing(10_000, true);
    await first();
    await expect(costly()).rejects.toMatchObject({ status: 'ABORTED' });
    await quick();
    await last();
    expect(await state()).toMatchObject({ log: 0, fresh: true });
  });

  it('count at least the decoded size of each, which the compressed state hides', async () => {
    await add();
    const [first, large] = [await applied(pushing('a')), await applied(pushing('x'.repeat(50_000)))];
    await first();
    await large();
    const [record] = await api.database.sql<{ decoded_bytes: number }>(
      'select decoded_bytes from crdt where api_key_id = $1',
      [tenant.id],
    );
    expect(record?.decoded_bytes).toBeGreaterThan(50_000);
  });

  it('write to the state, the log, then the state again without losing a change', async () => {
    await add();
    const [first, second] = [await applied(pushing('a')), await applied(pushing('b'))];
    await first();
    expect(await state()).toMatchObject({ log: 0, fresh: true });
    const third = await applied(pushing('c'));
    await second();
    expect(await state()).toMatchObject({ log: 1, fresh: false });
    const fourth = await applied(pushing('d'));
    await third();
    // The third write did not include the second, which is still in the log.
    expect(await state()).toMatchObject({ log: 1, fresh: false });
    await fourth();
    expect(await state()).toMatchObject({ log: 2, fresh: false });
    expect(new Set((await content()) as string[])).toEqual(new Set(['a', 'b', 'c', 'd']));
    const after = await eventually(async () => {
      const kept = await state();
      expect(kept).toMatchObject({ log: 0, fresh: true });
      return kept;
    });
    expect(
      runYjsWork({
        type: 'array',
        contentKey: 'content',
        base: [plainBytes(after.state)],
        change: { kind: 'none' },
      }),
    ).toMatchObject({ result: { decoded: json(await content()) } });
  });

  it('replace an earlier writer’s content when the later write replaces content', async () => {
    await add();
    const [replaces, merges] = [
      await applied({ kind: 'replace', data: ['mine'] }),
      await applied(pushing('yours')),
    ];
    await merges();
    await replaces();
    expect(await content()).toEqual(['mine']);
    expect(await state()).toMatchObject({ log: 0, fresh: true });
  });

  it('write to a record that was deleted and re-created', async () => {
    await add();
    const merges = await applied(pushing('a'));
    await tenant.ok('/v2/crdt/delete', location);
    await add({ data: ['new'] });
    await merges();
    expect(new Set((await content()) as string[])).toEqual(new Set(['a', 'new']));
  });
});

describe('decoded content', () => {
  const kept = async () =>
    (
      await api.database.sql<{ decoded: string; decoded_version: string }>(
        'select decoded, decoded_version from crdt where api_key_id = $1',
        [tenant.id],
      )
    )[0];
  const found = async () => {
    const [record] = await api.database.sql<{ id: string; version: string; stateRevision: string }>(
      'select id, version, state_revision as "stateRevision" from crdt where api_key_id = $1 and editor_id = $2',
      [tenant.id, 'e'],
    );
    if (record === undefined) throw new Error('Nothing is stored.');
    return record;
  };
  const decodedOf = async (version: string, content: unknown) => ({
    tenantId: tenant.id,
    base: { ...(await found()), version },
    state: null,
    decoded: json(content),
  });

  it('is saved for the last version read, and never over a later one', async () => {
    await add();
    await api.database.sql('update crdt set version = 9 where api_key_id = $1', [tenant.id]);
    decodedWriter.add([await decodedOf('6', ['sixth']), await decodedOf('8', ['eighth'])]);
    await eventually(async () => {
      expect(await kept()).toEqual({ decoded: '["eighth"]', decoded_version: '8' });
    });
    await add({ editorId: 'f' });
    const other = await api.database.sql<{ id: string }>(
      `update crdt set version = 3 where api_key_id = $1 and editor_id = 'f' returning id`,
      [tenant.id],
    );
    const late = await decodedOf('7', ['seventh']);
    decodedWriter.add([
      late,
      { ...late, base: { ...late.base, id: other[0]?.id ?? '', version: '3' }, decoded: json(['f']) },
    ]);
    await eventually(async () => {
      const all = await api.database.sql<{ decoded: string }>(
        'select decoded from crdt where api_key_id = $1 order by editor_id',
        [tenant.id],
      );
      expect(all.map(({ decoded }) => decoded)).toEqual(['["eighth"]', '["f"]']);
    });
  });

  it('is not saved after the state was replaced', async () => {
    await add();
    const before = await decodedOf('1', ['before']);
    await tenant.ok('/v2/crdt/update', { ...location, editorId: 'e', type: 'array', data: ['after'] });
    await add({ editorId: 'f' });
    await api.database.sql(`update crdt set version = 2 where api_key_id = $1 and editor_id = 'f'`, [
      tenant.id,
    ]);
    const beside = (
      await api.database.sql<{ id: string }>(
        `select id from crdt where api_key_id = $1 and editor_id = 'f'`,
        [tenant.id],
      )
    )[0];
    decodedWriter.add([
      before,
      { ...before, base: { id: beside?.id ?? '', version: '2', stateRevision: '1' } },
    ]);
    await eventually(async () => {
      const all = await api.database.sql<{ decoded: string }>(
        'select decoded from crdt where api_key_id = $1 order by editor_id',
        [tenant.id],
      );
      expect(all.map(({ decoded }) => decoded)).toEqual(['["after"]', '["before"]']);
    });
  });
});

describe('events of collaborative data', () => {
  const events = async () =>
    api.database.sql<{ type: string; channels: string[]; payload: object }>(
      'select type, channels, payload from event where api_key_id = $1 order by id',
      [tenant.id],
    );
  const waiting = async () =>
    api.database.sql<{ seconds: number }>(
      'select extract(epoch from due_at - now())::float as seconds from crdt_event where api_key_id = $1',
      [tenant.id],
    );
  const becomeDue = async () =>
    api.database.sql('update crdt_event set due_at = now() where api_key_id = $1', [tenant.id]);

  beforeEach(async () => {
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'https://example.com')`,
      [tenant.id, freshId('ep')],
    );
  });

  it('are coalesced into one for all writes of 5 s, due 5 s after the first', async () => {
    const [before] = await api.database.sql<{ at: string }>('select clock_timestamp()::text as at');
    await add();
    // Between the start and the end of the call, however long it takes.
    const written = await api.database.sql(
      `select due_at - interval '5 seconds' between $2::timestamptz and clock_timestamp() as during
       from crdt_event where api_key_id = $1`,
      [tenant.id, before?.at],
    );
    expect(written).toEqual([{ during: true }]);
    // On a slow machine, the 5 s may end before the other writes.
    await api.database.sql(
      `update crdt_event set due_at = due_at + interval '1 hour' where api_key_id = $1`,
      [tenant.id],
    );
    for (const data of [[1], [2]])
      await tenant.ok('/v2/crdt/update', { ...location, editorId: 'e', type: 'array', data });
    expect((await waiting())[0]?.seconds).toBeGreaterThan(1_800);
    await recordDueEvents(api.orm);
    expect(await events()).toEqual([]);
    await becomeDue();
    await recordDueEvents(api.orm);
    await recordDueEvents(api.orm);
    expect(await events()).toEqual([
      {
        type: 'crdt.update_data',
        channels: [location.organizationId, location.documentId],
        payload: {
          ...location,
          editorId: 'e',
          type: 'array',
          contentKey: 'content',
          lastUpdate: expect.any(String),
        },
      },
    ]);
    expect(await waiting()).toEqual([]);
    await tenant.ok('/v2/crdt/update', { ...location, editorId: 'e', type: 'array', data: [3] });
    expect(await waiting()).toHaveLength(1);
  });

  it('are recorded for a write even when the record is deleted immediately afterwards', async () => {
    await add();
    await tenant.ok('/v2/crdt/delete', location);
    expect((await events()).map(({ type }) => type)).toEqual(['crdt.update_data']);
    expect(await waiting()).toEqual([]);
  });

  it('do not wait for a write in progress, and include it later', async () => {
    await add();
    await becomeDue();
    const writer = await api.database.connect();
    await writer.query('begin');
    await writer.query('update crdt_event set due_at = due_at where api_key_id = $1', [tenant.id]);
    await recordDueEvents(api.orm);
    expect(await events()).toEqual([]);
    await writer.query('commit');
    await recordDueEvents(api.orm);
    expect(await events()).toHaveLength(1);
  });

  it('are recorded before a job removes the record', async () => {
    await add();
    const [record] = await api.database.sql<{ id: string; document_id: string }>(
      'select id, document_id from crdt where api_key_id = $1',
      [tenant.id],
    );
    const selection = { document: record?.document_id ?? '', upTo: record?.id ?? '' };
    await inTransaction(api.orm, async (em) => removeRemainingRecords(em, tenant.id, selection));
    expect(await waiting()).toEqual([]);
    expect(await events()).toHaveLength(1);
  });

  it('are not recorded for a deleted document, nor while advanced webhooks are off', async () => {
    await add();
    const { organizationId, documentId } = location;
    await tenant.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] });
    await becomeDue();
    await recordDueEvents(api.orm);
    expect(await events()).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    location = await aDocument(tenant);
    await add();
    expect(await waiting()).toEqual([]);
  });
});

describe('a cascade over collaborative data', () => {
  const many = async (count: number): Promise<string> => {
    await add();
    await api.database.sql(
      `with made as (
         insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
         select api_key_id, org_id, document_id, 'e-' || n, type, content_key, state, decoded, decoded_bytes
         from crdt, generate_series(2, $2) n where api_key_id = $1 returning id, api_key_id),
       log as (insert into crdt_update (crdt_id, seq, api_key_id, bytes) select id, 1, api_key_id, '' from made)
       insert into crdt_event (crdt_id, api_key_id, due_at) select id, api_key_id, now() + interval '1 day' from made`,
      [tenant.id, count],
    );
    const [found] = await api.database.sql<{ id: string }>('select id from document where ext_id = $1', [
      location.documentId,
    ]);
    return found?.id ?? '';
  };
  const left = async () =>
    (await api.database.sql('select 1 from crdt where api_key_id = $1', [tenant.id])).length;

  /** Returns the sizes of the batches. */
  const removeAll = async (documents: readonly string[]): Promise<readonly number[]> => {
    const steps: number[] = [];
    let after: readonly string[] | null = null;
    do {
      const range: RecordRange = { tenantId: tenant.id, documents, after };
      const { records, last }: RecordBatch = await inTransaction(api.orm, async (em) =>
        collaborativeRecords.remove(em, range),
      );
      steps.push(records);
      after = last;
    } while (after !== null);
    return steps;
  };

  it('removes all of a document in batches, with log and events', async () => {
    const documents = [await many(450)];
    const range = { tenantId: tenant.id, documents, after: null };
    const counted = await inTransaction(api.orm, async (em) => collaborativeRecords.count(em, range));
    expect(counted).toEqual({ records: 450, last: null });
    expect(await removeAll(documents)).toEqual([200, 200, 50]);
    expect(await left()).toBe(0);
  });

  it('removes at most 256 MiB of a document in a batch, but at least one record', async () => {
    const document = await many(7);
    const sized = `update crdt set decoded_bytes = 1e8 * (1 + 2 * (editor_id like 'e-2%')::int) where api_key_id = $1`;
    await api.database.sql(sized, [tenant.id]);
    expect(await removeAll([document])).toEqual([1, 1, 2, 2, 1]);
    expect(await left()).toBe(0);
  });

  it('removes the records beyond 1,000, but none added later', async () => {
    const document = await many(10);
    const [last] = await api.database.sql<{ id: string }>(
      'select max(id) as id from crdt where api_key_id = $1',
      [tenant.id],
    );
    await add({ editorId: 'later' });
    const selection = { document, upTo: last?.id ?? '' };
    const remove = async (tenantId: string) =>
      inTransaction(api.orm, async (em) => removeRemainingRecords(em, tenantId, selection));
    expect(await remove('0')).toBe(0);
    expect(await remove(tenant.id)).toBe(10);
    expect(await remove(tenant.id)).toBe(0);
    expect(await left()).toBe(1);
  });
});
