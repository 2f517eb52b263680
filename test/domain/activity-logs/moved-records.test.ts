import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { aDocument } from '../../support/factories.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { activityLogsScene, comment } from '../../api/activity-logs/activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

it('the cascade of a deleted document keeps a record that a concurrent call moves to another document', async () => {
  const { organizationId, documentId } = scene.document;
  await add([comment({ id: 'moved' }), comment({ id: 'left' })]);
  const live = await aDocument(tenant, { organizationId });
  const mover = await api.database.connect();
  await mover.query('begin');
  const { jobId } = await tenant.ok('/v2/organizations/documents/delete', {
    organizationId,
    documentIds: [documentId],
  });
  await mover.query(
    `update activity a set document_id = d.id from document d
     where d.ext_id = $1 and d.org_id = a.org_id and a.ext_id = 'moved'`,
    [live.documentId],
  );
  const cascade = runCascade(api, jobId);
  await eventually(async () => {
    const waiting = await api.database.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await mover.query('commit');
  await cascade;
  expect((await read()).map(({ id }) => id)).toEqual(['moved']);
});
