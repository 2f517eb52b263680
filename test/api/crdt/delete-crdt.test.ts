import { describe, expect, it } from '@jest/globals';
import { removeRemainingRecords } from '../../../domain/crdt/delete-records.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { aDocument, freshId } from '../../support/factories.ts';
import { crdtScene, path } from './crdt-scene.ts';

const scene = await crdtScene();
const { api, add, refusedAdd, refusedUpdate, get, content, stored } = scene;

describe('deleting collaborative data', () => {
  it('removes the given editors, and reports the missing ones', async () => {
    for (const editorId of ['a', 'b', 'c']) await add({ editorId });
    const { message, data, deletedCount, failedCount } = await scene.tenant.ok(path('delete'), {
      ...scene.document,
      editorIds: ['a', 'x', '__proto__', 'c'],
    });
    expect([message, deletedCount, failedCount]).toEqual(['CRDT data deleted successfully.', 2, 2]);
    const missing = { success: false, message: 'No CRDT data found for this editor ID.', code: 'not-found' };
    expect(Object.entries(data as object)).toEqual([
      ['a', { success: true, id: 'a', message: 'CRDT data deleted.' }],
      ['x', { id: 'x', ...missing }],
      ['__proto__', { id: '__proto__', ...missing }],
      ['c', { success: true, id: 'c', message: 'CRDT data deleted.' }],
    ]);
    expect((await get()).map(({ id }) => id)).toEqual(['b']);
    await add({ editorId: 'a', data: 'new again' });
    expect(await content('a')).toBe('new again');
  });

  it('removes all editors, logs and pending events when none is given', async () => {
    await scene.tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    for (const editorId of ['a', 'b']) await add({ editorId });
    const other = await aDocument(scene.tenant, { organizationId: scene.document.organizationId });
    await scene.tenant.ok(path('add'), { ...other, editorId: 'kept', type: 'text', data: '' });
    await api.database.sql(
      `insert into crdt_update (crdt_id, seq, api_key_id, bytes) select id, 1, api_key_id, '' from crdt where editor_id = 'a' and api_key_id = $1`,
      [scene.tenant.id],
    );
    const { deletedCount, data } = await scene.tenant.ok(path('delete'), scene.document);
    expect([deletedCount, Object.keys(data as object)]).toEqual([2, ['a', 'b']]);
    expect((await scene.tenant.ok(path('delete'), scene.document)).data).toEqual({});
    expect(await stored()).toHaveLength(1);
  });

  it('starts a job beyond 1,000 records', async () => {
    await add({ editorId: 'e' });
    await api.database.sql(
      `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
       select api_key_id, org_id, document_id, 'e-' || n, type, content_key, state, decoded, decoded_bytes
       from crdt, generate_series(1, 1200) n where api_key_id = $1`,
      [scene.tenant.id],
    );
    const { deletedCount, data, jobId } = await scene.tenant.ok(path('delete'), scene.document);
    expect([deletedCount, Object.keys(data as object).length]).toEqual([1_000, 1_000]);
    const job = await scene.tenant.ok<{ kind: string }>('/v2/jobs/get', { jobId });
    expect(job.data.kind).toBe('cascade');
  });
});

describe('deleting large collaborative data', () => {
  it('removes at most 256 MiB in the call and in each batch of its job', async () => {
    await add({ editorId: 'e' });
    await api.database.sql(
      `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
       select api_key_id, org_id, document_id, 'e-' || n, type, content_key, state, decoded, $2
       from crdt, generate_series(1, 20) n where api_key_id = $1`,
      [scene.tenant.id, 107_374_182],
    );
    const { deletedCount, jobId } = await scene.tenant.ok<object>(path('delete'), scene.document);
    expect([deletedCount, typeof jobId]).toEqual([3, 'string']);
    const [first] = await api.database.sql<{ document: string }>(
      'select distinct document_id as document from crdt where api_key_id = $1',
      [scene.tenant.id],
    );
    const document = first?.document ?? '';
    const upTo = String(2n ** 62n);
    const batches: number[] = [];
    do
      batches.push(
        await inTransaction(api.orm, async (em) =>
          removeRemainingRecords(em, scene.tenant.id, { document, upTo }),
        ),
      );
    while (batches.at(-1) !== 0);
    expect(batches).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 0]);
  });
});

describe('collaborative data of a fenced user', () => {
  it('is not written in the organization of the deletion', async () => {
    await add({});
    await api.database.sql(
      `with u as (insert into app_user (api_key_id, ext_id) values ($1, 'ada') returning id),
       j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id)
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, 'ada', $1, now() from j, u`,
      [scene.tenant.id, freshId('job')],
    );
    const before = await stored();
    const added = await refusedAdd({ editorId: 'other', lastUpdatedBy: 'ada' });
    const updated = await refusedUpdate({ type: 'text', data: 'x', lastUpdatedBy: 'ada' });
    for (const refusal of [added, updated]) {
      expect([refusal.status, refusal.message]).toEqual([
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
      ]);
    }
    expect(await stored()).toEqual(before);
  });
});
