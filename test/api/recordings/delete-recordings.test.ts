import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { aDocument } from '../../support/factories.ts';
import { recordingsScene, recording, idsOf } from './recordings-scene.ts';

const scene = await recordingsScene();
const { api, tenant, add, get } = scene;

describe('deleting recordings', () => {
  const remove = async (data: object) =>
    tenant.ok<Record<string, object>>('/v2/recordings/delete', {
      organizationId: scene.document.organizationId,
      ...data,
    });

  it('combines its filters and returns an outcome for each id', async () => {
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([recording({ annotationId: 'a' }), recording({ annotationId: 'b' })]);
    await add([recording({ annotationId: 'b' }), recording({ annotationId: 'c' })], other);
    const result = await remove({ documentId: scene.document.documentId, recordingIds: ['b', 'c'] });
    expect(result).toEqual({
      status: 'success',
      message: 'Recording(s) deleted successfully.',
      data: {
        b: { success: true, id: 'b', message: 'Deleted Successfully' },
        c: { success: false, id: 'c', message: 'Recording not found.', code: 'not-found' },
      },
      failedCount: 1,
      deletedCount: 1,
    });
    expect(new Set(idsOf(await get()))).toEqual(new Set(['a', 'b', 'c']));
    expect((await remove({ recordingIds: ['b'] })).deletedCount).toBe(1);
    expect((await remove({ documentId: scene.document.documentId })).data).toHaveProperty('a');
    expect(idsOf(await get())).toEqual(['c']);
    const refusal = await tenant.refused('/v2/recordings/delete', {
      organizationId: scene.document.organizationId,
    });
    expect(refusal.message).toBe('At least one of documentId or recordingIds must be provided.');
  });

  it('leaves no user whom an overwritten recording named', async () => {
    const named = async () =>
      api.database.sql(
        `select u.ext_id from record_user r join app_user u on u.id = r.user_id
           join organization o on o.id = r.org_id where o.ext_id = $1`,
        [scene.document.organizationId],
      );
    for (const userId of ['grace', 'hedy']) await add([recording({ annotationId: 'a', owner: { userId } })]);
    expect(await named()).toEqual([{ ext_id: 'hedy' }]);
    await remove({ recordingIds: ['a'] });
    expect(await named()).toEqual([]);
  });

  it.each([['document'], ['ids']])('deletes those beyond 1,000 by a job, by %s', async (by) => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `r${String(n)}`);
    await add(ids.map((annotationId) => recording({ annotationId })));
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    const second = by === 'ids' ? other : scene.document;
    await add([recording({ annotationId: by === 'ids' ? 'r999' : 'beyond' })], second);
    const result = await remove(
      by === 'ids' ? { recordingIds: ids } : { documentId: scene.document.documentId },
    );
    expect([result.deletedCount, result.failedCount]).toEqual([1_000, 0]);
    expect(result.jobId).toMatch(/^job_/);
    const [job] = await api.database.sql<{ request: object }>(
      'select request from job where public_id = $1',
      [result.jobId],
    );
    expect(Object.keys(job?.request ?? {})).toEqual(['records']);
  });

  it('locks recordings in the order of their ids, as an overwrite does', async () => {
    const { document } = scene;
    await add([recording({ annotationId: 'b', createdAt: 1, lastUpdated: 1 })]);
    await add([recording({ annotationId: 'a' })]);
    const other = await api.database.connect();
    const lock = async (id: string, mode: string) =>
      other.query(
        `select r.ext_id from recording r join organization o on o.id = r.org_id
         where o.ext_id = $1 and r.ext_id = $2 for update of r ${mode}`,
        [document.organizationId, id],
      );
    await other.query('begin');
    await lock('a', '');
    const removal = remove({ documentId: document.documentId });
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    // The deletion waits for `a` before it locks `b`, although `b` is older.
    expect((await lock('b', 'skip locked')).rows).toEqual([{ ext_id: 'b' }]);
    await other.query('commit');
    expect((await removal).deletedCount).toBe(2);
  });
});
