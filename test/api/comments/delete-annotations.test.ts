import { describe, expect, it } from '@jest/globals';
import { maxBigint } from '../../../domain/bigint-range.ts';
import { removeRemainingThreads, type RemainingThreads } from '../../../domain/comments/removal-job.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { removeRemaining } from '../../support/remove-remaining.ts';
import { annotationsScene, comment, annotation } from './annotations-scene.ts';

const scene = await annotationsScene();
const { api, tenant, add, listed } = scene;

describe('deleting annotations', () => {
  const remove = async (more: object = {}) =>
    tenant.ok<Record<string, object>>('/v2/commentannotations/delete', { ...scene.document, ...more });

  it('deletes the annotations that match every condition, and frees their ids', async () => {
    const agent = { agentSource: 'own', agentId: 'bot', url: 'https://example.com/a#top' };
    await add([
      annotation({ annotationId: 'a', location: { id: 'x' } }),
      { annotationId: 'b', commentData: [comment({ from: { userId: 'ben' } })] },
      { annotationId: 'c', type: 'suggestion', commentData: [comment({ agent })] },
      annotation({ annotationId: 'd', location: { id: 'x' } }),
    ]);
    const deleted = { success: true, message: 'Deleted Successfully' };
    const missing = { success: false, message: 'Annotation not found.', code: 'not-found' };
    expect((await remove({ annotationIds: ['a', 'b', 'no'], locationIds: ['x'] })).data).toEqual({
      a: { ...deleted, id: 'a' },
      b: { ...missing, id: 'b' },
      no: { ...missing, id: 'no' },
    });
    expect((await remove({ userIds: ['nobody'] })).data).toEqual({});
    expect((await remove({ userIds: ['ben'] })).data).toMatchObject({ b: deleted });
    const urls = { agentUrls: ['https://example.com/a#other'] };
    expect((await remove({ agentId: 'bot', agentSuggestions: true, ...urls })).data).toMatchObject({
      c: deleted,
    });
    expect(await listed({ documentId: scene.document.documentId })).toEqual(['d']);
    expect(await add([annotation({ annotationId: 'a' })])).toMatchObject({ a: { success: true } });
    const all = await remove();
    expect(all).toMatchObject({ message: 'Annotations deleted successfully.', deletedCount: 2 });
    expect(all).not.toHaveProperty('jobId');
    for (const table of ['thread', 'thread_person', 'comment'])
      expect(
        await api.database.sql(
          `select 1 from ${table} t join organization o on o.id = t.org_id where o.ext_id = $1`,
          [scene.document.organizationId],
        ),
      ).toEqual([]);
  });

  it('deletes the read marks of deleted annotations, and keeps those of others and of the document', async () => {
    const viewed = async (userId: string, annotationIds?: readonly string[]) =>
      tenant.ok('/v2/commentannotations/viewed/set', { ...scene.document, userId, annotationIds });
    await add(['a', 'b', 'c'].map((annotationId) => annotation({ annotationId })));
    await viewed('ben', ['a', 'b', 'c']);
    await viewed('cleo', ['a', 'b']);
    await viewed('cleo');
    await remove({ annotationIds: ['a'] });
    await tenant.ok('/v2/commentannotations/comments/delete', { ...scene.document, annotationId: 'b' });
    const marks = await api.database.sql(
      `select u.ext_id as user, t.ext_id as annotation from thread_view v join app_user u on u.id = v.user_id
       join organization o on o.id = v.org_id left join thread t on t.id = v.thread_id
       where o.ext_id = $1 order by 1`,
      [scene.document.organizationId],
    );
    expect(marks).toEqual([
      { user: 'ben', annotation: 'c' },
      { user: 'cleo', annotation: null },
    ]);
  });

  it('waits for a concurrent mark of an annotation, and deletes it too', async () => {
    await add([annotation({ annotationId: 'a' })]);
    const reader = await api.database.connect();
    await reader.query('begin');
    await reader.query(
      `with marked as (
         select t.* from thread t join organization o on o.id = t.org_id where o.ext_id = $1 for key share of t)
       insert into thread_view (user_id, document_id, thread_id, api_key_id, org_id, viewed_at)
       select creator_id, document_id, id, api_key_id, org_id, 1 from marked`,
      [scene.document.organizationId],
    );
    const removal = remove();
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await reader.query('commit');
    expect((await removal).deletedCount).toBe(1);
    expect(
      await api.database.sql(
        'select from thread_view v join organization o on o.id = v.org_id where o.ext_id = $1',
        [scene.document.organizationId],
      ),
    ).toEqual([]);
  });

  it('removes the notifications and read marks of an annotation in several transactions', async () => {
    const users = Array.from({ length: 6_000 }, (_, n) => `member-${String(n)}`);
    await add([annotation({ annotationId: 'popular' })]);
    const { organizationId, documentId } = scene.document;
    await api.database.sql(
      `with t as (
         select t.id, t.api_key_id, t.org_id, t.document_id from thread t join organization o on o.id = t.org_id
         where o.ext_id = $1 and t.ext_id = 'popular'),
       u as (
         insert into app_user (api_key_id, ext_id) select t.api_key_id, m.id from t, unnest($2::text[]) as m (id) returning id)
       insert into thread_view (user_id, document_id, thread_id, api_key_id, org_id, viewed_at)
       select u.id, t.document_id, t.id, t.api_key_id, t.org_id, 1 from t, u`,
      [organizationId, users],
    );
    const [location] = await api.database.sql<{ organization: string; document: string }>(
      `select o.id as organization, d.id as document from organization o join document d on d.org_id = o.id
       where o.ext_id = $1 and d.ext_id = $2`,
      [organizationId, documentId],
    );
    if (location === undefined) throw new Error('missing document of the test');
    const all = { annotationIds: null, locationIds: null, creators: null, agentId: null, agentUrls: null };
    const rest = { ...location, ...all, agentSuggestions: false, upTo: maxBigint };
    const remaining = { orphaned: [], notifications: null, audiences: [], rest };
    const step = async (of: RemainingThreads) =>
      inTransaction(api.orm, async (em) => removeRemainingThreads(em, tenant.id, of));
    const first = await step(remaining);
    expect(first.count).toBe(5_000);
    expect(await listed({ documentId })).toEqual(['popular']);
    const second = await step(first.left ?? remaining);
    expect(second.count).toBeGreaterThan(0);
    expect(await listed({ documentId })).toEqual([]);
    expect(second.left).toBeUndefined();
  });

  it('requires an actor for a trigger, and refuses empty conditions, which would widen the deletion', async () => {
    const path = '/v2/commentannotations/delete';
    expect(await tenant.refused(path, { ...scene.document, triggerActivities: true })).toMatchObject({
      message: 'actionUser is required.',
    });
    expect(await tenant.refused(path, { ...scene.document, agentSuggestions: false })).toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('leaves annotations beyond 1,000 to a job, which keeps annotations added later', async () => {
    const batch = async (from: number, count: number) =>
      add(Array.from({ length: count }, (_, n) => annotation({ annotationId: `n${String(from + n)}` })));
    await batch(0, 700);
    await batch(700, 700);
    const result = await remove();
    expect(result).toMatchObject({ deletedCount: 1_000, jobId: expect.any(String) });
    await add([annotation({ annotationId: 'later' })]);
    const [job] = await api.database.sql<{ request: { records: { selection: RemainingThreads } } }>(
      'select request from job where public_id = $1',
      [(result as { jobId?: string }).jobId],
    );
    const selection = job?.request.records.selection;
    if (selection === undefined) throw new Error('missing job of the deletion');
    await removeRemaining(api.orm, tenant.id, selection);
    expect(await listed({ documentId: scene.document.documentId })).toEqual(['later']);
    expect(
      await api.database.sql(
        'select 1 from comment c where not exists (select from thread where id = c.thread_id)',
      ),
    ).toEqual([]);
  });
});
