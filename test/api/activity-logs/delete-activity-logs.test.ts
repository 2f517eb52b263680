import { describe, expect, it } from '@jest/globals';
import { activities, aDocument, addActivityLogs } from '../../support/factories.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

describe('deleting activity logs', () => {
  it.each([
    [{ activityIds: ['a', 'zz'] }, ['a']],
    [{ targetEntityId: 't1' }, ['a', 'c']],
    [{ documentId: 'here' }, ['a', 'b']],
    [{ documentId: 'here', targetEntityId: 't1' }, ['a']],
    [{ documentId: 'here', activityIds: ['a', 'c'] }, ['a']],
  ])('by %j removes only matching records', async (selection, removed) => {
    const second = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([comment({ id: 'a', targetEntityId: 't1' }), comment({ id: 'b' })]);
    await tenant.ok('/v2/activities/add', {
      ...second,
      activities: [comment({ id: 'c', targetEntityId: 't1' }), comment({ id: 'd' })],
    });
    const result = await tenant.ok<Record<string, { success: boolean }>>('/v2/activities/delete', {
      organizationId: scene.document.organizationId,
      ...selection,
      ...('documentId' in selection && { documentId: scene.document.documentId }),
    });
    expect(result.message).toBe('Activity(s) deleted successfully.');
    expect(result.deletedCount).toBe(removed.length);
    const succeeded = Object.entries(result.data).filter(([, { success }]) => success);
    expect(succeeded.map(([id]) => id).toSorted()).toEqual(removed);
    const left = (await read()).map(({ id }) => id).toSorted();
    expect(left).toEqual(['a', 'b', 'c', 'd'].filter((id) => !removed.includes(id)));
  });

  it('refuses a request without a filter', async () => {
    const refusal = await tenant.refused('/v2/activities/delete', {
      organizationId: scene.document.organizationId,
    });
    expect([refusal.status, refusal.message]).toEqual([
      'INVALID_ARGUMENT',
      'At least one of documentId, targetEntityId or activityIds must be provided.',
    ]);
  });

  it('removes 1,000 in the call and names the job that removes the rest', async () => {
    await addActivityLogs(tenant, scene.document, activities(1_500));
    const result = await tenant.ok<object>('/v2/activities/delete', scene.document);
    expect(result.deletedCount).toBe(1_000);
    expect(Object.keys(result.data)).toHaveLength(1_000);
    expect(result.jobId).toMatch(/^job_/);
  });

  it('examines a bounded number of records of the document for a target, and a job examines the others', async () => {
    const { documentId, organizationId } = scene.document;
    await add([comment({ id: 'first', targetEntityId: 'other', timestamp: 1 })]);
    await api.database.sql(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body,
         target_entity_id)
       select a.api_key_id, a.org_id, a.document_id, a.ext_id || n, a.ts + n, a.feature, a.action_type, a.actor_id,
         a.content_hash, a.body, a.target_entity_id
       from activity a, generate_series(1, 20000) n where a.org_id = (select id from organization where ext_id = $1 and api_key_id = $2)`,
      [organizationId, tenant.id],
    );
    await add([comment({ id: 'late', targetEntityId: 'wanted' }), comment({ id: 'later' })]);
    const selection = { organizationId, documentId, targetEntityId: 'wanted' };
    const { data, deletedCount, jobId } = await tenant.ok('/v2/activities/delete', selection);
    expect({ data, deletedCount, jobId }).toEqual({
      data: {},
      deletedCount: 0,
      jobId: expect.stringMatching(/^job_/),
    });
    await runCascade(api, jobId);
    const left = await read({ activityIds: ['first', 'late', 'later'] });
    expect(left.map(({ id }) => id).toSorted()).toEqual(['first', 'later']);
  });

  it('reads the index of the document only, also where the table has no statistics', async () => {
    await add([comment({ id: 'a', targetEntityId: 't' })]);
    const selection = { ...scene.document, targetEntityId: 't' };
    const sent = await statementsOf(async () => tenant.ok('/v2/activities/delete', selection));
    const examining = sent.filter(({ text }) => text.includes('examined as materialized'));
    expect(examining).toHaveLength(1);
    for (const statement of examining)
      expect((await explain(api.database, statement)).indexes).toContain('activity_document');
  });
});
