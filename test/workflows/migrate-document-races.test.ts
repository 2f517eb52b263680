import { describe, expect, it } from '@jest/globals';
import { activities, aDocument, aFolder, freshId, type TestDocument } from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { itInFull } from '../support/tier.ts';
import { activityIds, documentIds, ended, migrate, statusOf } from './migrations.ts';
import { migrationScene } from './migration-scene.ts';

const { tenant, sql, holding, keyShare, surrogateOf } = await migrationScene();

describe('deleting a resource during its migration', () => {
  it.each([
    [
      'document',
      '/v2/organizations/documents/delete',
      ({ organizationId, documentId }: TestDocument) => ({ organizationId, documentIds: [documentId] }),
    ],
    [
      'organization',
      '/v2/organizations/delete',
      ({ organizationId }: TestDocument) => ({ organizationIds: [organizationId] }),
    ],
  ])('ends the migration of a deleted %s as failed, and frees its ids', async (_what, path, named) => {
    const document = await aDocument(tenant);
    const newDocumentId = freshId('moved');
    // The worker waits for this writer at the flip. The deletion waits too, before or after the worker.
    const slow = await keyShare(document);
    const migrationId = await migrate(tenant, document, newDocumentId);
    const deleting = tenant.ok(path, named(document));
    await slow.letGo();
    await deleting;
    const status = await ended(tenant, document, migrationId);
    if (status.status === 'failed') expect(status.error).toBe('document was deleted');
    expect(await sql('select 1 from id_reservation where ext_id = $1', [newDocumentId])).toEqual([]);
  });

  it('ends the migration of a document whose folder is deleted', async () => {
    const folder = await aFolder(tenant);
    const document = await aDocument(tenant, { ...folder });
    const slow = await keyShare(document);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await eventually(async () => (await statusOf(tenant, document, migrationId)).counts !== null);
    await tenant.ok('/v2/organizations/folders/delete', folder);
    await slow.letGo();
    expect(await ended(tenant, document, migrationId)).toMatchObject({
      status: 'failed',
      error: 'document was deleted',
    });
  });

  it('fails the migration at the flip when the document no longer exists', async () => {
    const document = await aDocument(tenant);
    const id = await surrogateOf(document);
    const deletion = await holding('update document set ext_id = null, deleted_at = now() where id = $1', [
      id,
    ]);
    // The acceptance did not see the deletion. Only the flip waits for it.
    const migrationId = await holdingBack(document);
    await deletion.letGo();
    expect(await ended(tenant, document, migrationId)).toMatchObject({
      status: 'failed',
      error: 'document was deleted',
    });
  });

  /** Writes a migration as the API does. The API itself would wait for the deletion. */
  async function holdingBack(document: TestDocument): Promise<string> {
    const publicId = `job_${freshId('test')}`;
    await sql(
      `with d as (select id, api_key_id, org_id from document where ext_id = $1),
       j as (insert into job (api_key_id, public_id, kind, org_id, organization_ext_id, next_sweep_at)
         select api_key_id, $3, 1, org_id, $4, now() from d returning id),
       r as (insert into id_reservation (org_id, ext_id, job_id) select d.org_id, t.id, j.id from d, j, unnest(array[$1, $2]) as t (id))
       insert into migration (job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id)
       select j.id, d.api_key_id, d.org_id, d.id, $1, $2 from d, j`,
      [document.documentId, freshId('moved'), publicId, document.organizationId],
    );
    return publicId;
  }
});

describe('writes around the flip', () => {
  it('move a record to the new id when its transaction resolved the old id before the flip', async () => {
    const document = await aDocument(tenant);
    const slow = await holding(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
       select api_key_id, org_id, id, 'late', 1, 5, 'x', 0, '', '{"featureType":"custom","actionType":"x","actionUser":{"userId":"u"}}'
       from document where ext_id = $1`,
      [document.documentId],
    );
    const newDocumentId = freshId('moved');
    const migrationId = await migrate(tenant, document, newDocumentId);
    await eventually(async () => (await statusOf(tenant, document, migrationId)).counts !== null);
    expect(await statusOf(tenant, document, migrationId)).toMatchObject({ status: 'in_progress' });
    await slow.letGo();
    expect(await ended(tenant, document, migrationId)).toMatchObject({ verified: true });
    expect(await activityIds(tenant, { ...document, documentId: newDocumentId })).toEqual(['late']);
  });

  it('are rejected under the old id after the flip, and create no document there', async () => {
    const document = await aDocument(tenant);
    const newDocumentId = freshId('moved');
    await ended(tenant, document, await migrate(tenant, document, newDocumentId));
    for (const createDocument of [false, true]) {
      const refusal = await tenant.refused('/v2/activities/add', {
        ...document,
        createDocument,
        activities: activities(1),
      });
      expect(refusal).toMatchObject({ status: 'NOT_FOUND', details: { movedTo: newDocumentId } });
    }
    expect(await documentIds(tenant, document.organizationId)).toEqual([newDocumentId]);
  });

  itInFull(
    'are never lost once acknowledged while the document moves back and forth under many writers',
    async () => {
      const document = await aDocument(tenant);
      const { organizationId } = document;
      const acknowledged: string[] = [];
      let present = document.documentId;
      const enough = new AbortController();
      const writer = async (): Promise<void> => {
        while (!enough.signal.aborted) {
          const response = await tenant.call('/v2/activities/add', {
            organizationId,
            documentId: present,
            activities: activities(1),
          });
          const error = response.body.error;
          if (error === undefined) {
            const { activityIds: added = [] } = (response.body.result?.data ?? {}) as {
              activityIds?: string[];
            };
            acknowledged.push(...added);
          } else {
            expect(error.status).toBe('NOT_FOUND');
            present = String(error.details['movedTo']);
          }
        }
      };
      const writers = Array.from({ length: 12 }, writer);
      for (let round = 0; round < 5; round += 1) {
        const from = { organizationId, documentId: present };
        const next = freshId('moved');
        const status = await ended(tenant, from, await migrate(tenant, from, next));
        expect(status).toMatchObject({ status: 'completed', verified: true });
        present = next;
      }
      enough.abort();
      await Promise.all(writers);
      expect((await activityIds(tenant, { organizationId, documentId: present })).sort()).toEqual(
        acknowledged.sort(),
      );
      expect(acknowledged.length).toBeGreaterThan(20);
    },
  );
});
