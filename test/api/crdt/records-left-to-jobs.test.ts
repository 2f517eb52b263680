import { beforeEach, describe, expect, it } from '@jest/globals';
import { runCascade } from '../../support/run-cascade.ts';
import { changed, crdtScene, path } from './crdt-scene.ts';

const scene = await crdtScene();
const { api, add, refusedAdd, update, refusedUpdate, get, content, stored } = scene;

let jobId: string | undefined;

const events = async (): Promise<unknown> =>
  (
    await api.database.sql<{ payload: { editorId: string } }>(
      `select payload from event where api_key_id = $1 order by id`,
      [scene.tenant.id],
    )
  ).map(({ payload }) => payload.editorId);

const editors = async (): Promise<string[]> => (await get()).map(({ id }) => id);

// Deletes a document's 1,002 records, of which the call leaves `notes` and `other` to a job that has not begun.
beforeEach(async () => {
  await scene.tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await scene.tenant.ok('/v2/workspace/advancedwebhook/endpoints/create', {
    url: 'https://example.com/hook',
  });
  await add({ data: 'former' });
  await add({ editorId: 'other' });
  await api.database.sql(
    `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
     select api_key_id, org_id, document_id, 'e-' || n, type, content_key, state, decoded, decoded_bytes
     from crdt, generate_series(1, 1000) n where api_key_id = $1 and editor_id = 'notes'`,
    [scene.tenant.id],
  );
  const deletion = await scene.tenant.ok(path('delete'), scene.document);
  expect(deletion.deletedCount).toBe(1_000);
  ({ jobId } = deletion);
  expect(await editors()).toEqual(['notes', 'other']);
});

describe('a record that a deletion left to a job', () => {
  it.each(['former', 'next'])('is added again with the content %j, and outlasts the job', async (data) => {
    const [former] = await stored();
    await add({ data });
    expect((await refusedAdd({ data })).status).toBe('ALREADY_EXISTS');
    await update({ type: 'text', data: `${data}, changed` });
    await runCascade(api, jobId);
    expect(await editors()).toEqual(['notes']);
    expect(await content()).toBe(`${data}, changed`);
    expect((await stored()).map(({ id }) => id)).not.toContain(former?.id);
    // Those of the deleted records; one of the new record is due.
    expect(await events()).toEqual(['notes', 'other']);
    const due = `select from crdt_event e join crdt c on c.id = e.crdt_id where c.api_key_id = $1`;
    expect(await api.database.sql(due, [scene.tenant.id])).toHaveLength(1);
  });

  it('is missing to updates', async () => {
    const doc = await scene.aYjsClient();
    const merge = changed(doc, (one) => one.getText('content').insert(0, 'x'));
    for (const members of [{ type: 'text', data: 'x' }, { update: merge }]) {
      const refusal = await refusedUpdate(members);
      expect([refusal.status, refusal.message]).toEqual([
        'NOT_FOUND',
        'No CRDT data found for this editor ID.',
      ]);
    }
    await runCascade(api, jobId);
    expect(await editors()).toEqual([]);
  });
});
