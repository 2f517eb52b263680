import { describe, expect, it } from '@jest/globals';
import { aDocument, activities, addActivityLogs } from '../../support/factories.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

const many = activities(1_001);

/** Deletes the records of a document or target, of which one call leaves `records` to a job that has not begun. */
async function leftToJob(records: readonly object[], target?: string): Promise<string | undefined> {
  const { organizationId, documentId } = scene.document;
  // The oldest go in the call.
  await addActivityLogs(tenant, scene.document, target === undefined ? many : targeting(target));
  await add(records);
  const { jobId } = await tenant.ok('/v2/activities/delete', {
    organizationId,
    ...(target === undefined ? { documentId } : { targetEntityId: target }),
  });
  expect(jobId).toMatch(/^job_/);
  return jobId;
}

const targeting = (targetEntityId: string): object[] => activities(1_001, { targetEntityId });

const eventsOf = async (id: string): Promise<number> =>
  (
    await api.database.sql(`select from event where api_key_id = $1 and payload ->> 'id' = $2`, [
      tenant.id,
      id,
    ])
  ).length;

const namedUsers = async (id: string): Promise<number> =>
  (
    await api.database.sql(
      `select from record_user r join activity a on a.id = r.record_id join organization o on o.id = a.org_id
       where r.kind = 1 and a.ext_id = $1 and o.ext_id = $2`,
      [id, scene.document.organizationId],
    )
  ).length;

describe('an activity log that a deletion left to a job', () => {
  it.each([
    ['with other content', { entityData: { assignee: { userId: 'eve' } } }],
    ['with equal content', { entityData: 1 }],
  ])('is new when it is added again %s, and outlasts the job', async (_, members) => {
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await tenant.ok('/v2/workspace/advancedwebhook/endpoints/create', { url: 'https://example.com/hook' });
    const sent = { id: 'again', entityData: 1 };
    const jobId = await leftToJob([
      comment({ ...sent, timestamp: 1_900_000_000_000 }),
      comment({ id: 'gone' }),
    ]);
    const events = await eventsOf('again');
    await add([comment({ ...sent, ...members }), comment({ id: 'beside' })]);
    const [again] = await read({ activityIds: ['again'] });
    expect(again?.timestamp).toBeLessThan(1_900_000_000_000);
    expect(await eventsOf('again')).toBe(events + 1);
    await runCascade(api, jobId);
    const left = await read();
    expect(left.map(({ id }) => id).toSorted()).toEqual(['again', 'beside']);
    expect(left).toContainEqual(
      expect.objectContaining({ ...sent, ...members, timestamp: again?.timestamp }),
    );
    expect(await namedUsers('again')).toBe('assignee' in Object(members.entityData) ? 1 : 0);
    // Nothing is open, so an equal record is not written again.
    await add([comment({ ...sent, ...members })]);
    expect(await eventsOf('again')).toBe(events + 1);
  });

  it('is missing to updates', async () => {
    const jobId = await leftToJob([comment({ id: 'gone' })]);
    await add([comment({ id: 'kept' })]);
    const { data } = await tenant.ok<Record<string, object>>('/v2/activities/update', {
      organizationId: scene.document.organizationId,
      activities: ['gone', 'kept'].map((id) => ({ id, entityData: 2 })),
    });
    expect(data).toMatchObject({ gone: { success: false, code: 'not-found' }, kept: { success: true } });
    await runCascade(api, jobId);
    expect(await read()).toMatchObject([{ id: 'kept', entityData: 2 }]);
  });

  it('is new in another document, and when logs have become immutable', async () => {
    const jobId = await leftToJob([comment({ id: 'again', targetEntityId: 't' })], 't');
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    const immutable = async (isImmutable: boolean) =>
      tenant.ok('/v2/workspace/activityconfig/update', {
        activityServiceConfig: { immutable: isImmutable },
      });
    await immutable(true);
    await add([comment({ id: 'again', targetEntityId: 't' })], other);
    await immutable(false);
    await runCascade(api, jobId);
    expect((await read()).map(({ id }) => id)).toEqual(['again']);
  });

  it('takes no record with it that an overwrite moves to its document, and that one keeps its time', async () => {
    const { organizationId } = scene.document;
    const other = await aDocument(tenant, { organizationId });
    await add([comment({ id: 'moved', timestamp: 5 }), comment({ id: 'retargeted', timestamp: 6 })], other);
    const jobs = [
      await leftToJob([comment({ id: 'gone' })]),
      await leftToJob([comment({ targetEntityId: 't' })], 't'),
    ];
    await add([comment({ id: 'moved' })]);
    await add([comment({ id: 'retargeted', targetEntityId: 't' })], other);
    for (const jobId of jobs) await runCascade(api, jobId);
    const left = await read();
    expect(new Map(left.map(({ id, timestamp }) => [id, timestamp]))).toEqual(
      new Map([
        ['moved', 5],
        ['retargeted', 6],
      ]),
    );
  });
});
