import { describe, expect, it } from '@jest/globals';
import {
  activities,
  addActivityLogs,
  aDocument,
  aFolder,
  anOrganization,
  aTenant,
  freshId,
} from '../support/factories.ts';
import { activityIds, documentIds, ended, migrate } from './migrations.ts';
import { migrationScene, migratePath, addPath } from './migration-scene.ts';

const { installation, tenant, sql, keyShare } = await migrationScene();

describe('migrating a document', () => {
  it('responds at once, completes in the background, and moves every record to the new id', async () => {
    const document = await aDocument(tenant);
    const added = await addActivityLogs(tenant, document, activities(1_200));
    const newDocumentId = freshId('moved');
    const migrationId = await migrate(tenant, document, newDocumentId);
    const status = await ended(tenant, document, migrationId);
    expect(status).toMatchObject({
      migrationId,
      status: 'completed',
      documentId: document.documentId,
      newDocumentId,
      counts: { activities: 1_200 },
      verified: true,
      error: null,
    });
    expect(status.acceptedAt).toBeLessThanOrEqual(status.startedAt ?? 0);
    expect(status.startedAt).toBeLessThanOrEqual(status.completedAt ?? 0);
    const moved = { ...document, documentId: newDocumentId };
    expect((await activityIds(tenant, moved)).sort()).toEqual(added.sort());
    expect(await documentIds(tenant, document.organizationId)).toEqual([newDocumentId]);
    const refusal = await tenant.refused('/v2/activities/get', document);
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', details: { movedTo: newDocumentId } });
  });

  it('frees the old id for documents/add, and then no longer returns movedTo', async () => {
    const document = await aDocument(tenant);
    const next = freshId('moved');
    await ended(tenant, document, await migrate(tenant, document, next));
    await aDocument(tenant, { ...document });
    expect((await documentIds(tenant, document.organizationId)).sort()).toEqual(
      [document.documentId, next].sort(),
    );
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: document.organizationId,
      documentIds: [document.documentId],
    });
    const refusal = await tenant.refused('/v2/activities/get', document);
    expect(refusal.details).not.toHaveProperty('movedTo');
  });

  it('rejects a document that cannot be migrated, with the reason', async () => {
    const document = await aDocument(tenant);
    const { documentId: other } = await aDocument(tenant, { organizationId: document.organizationId });
    const to = (newDocumentId: string, request: object = {}) =>
      tenant.refused(migratePath, { ...document, newDocumentId, ...request });
    expect(await to(document.documentId)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'newDocumentId must differ from documentId.',
      details: { issues: [{ path: 'data.newDocumentId' }] },
    });
    expect(await to(document.documentId, { organizationId: 5 })).toMatchObject({
      details: { issues: [{ path: 'data.organizationId' }, { path: 'data.newDocumentId' }] },
    });
    expect(await to(other)).toMatchObject({
      http: 409,
      status: 'ALREADY_EXISTS',
      message: 'newDocumentId is already taken.',
    });
    expect(await to('x', { documentId: freshId('unknown') })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Document does not exist',
    });
    expect(await to('x', { organizationId: freshId('unknown') })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Organization does not exist',
    });
    const status = { organizationId: document.organizationId, migrationId: 'job_unknown' };
    expect(await tenant.refused(`${migratePath}/status`, status)).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Migration not found.',
    });
  });

  it('shows a migration only to its organization and key', async () => {
    const document = await aDocument(tenant);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await ended(tenant, document, migrationId);
    const elsewhere = { organizationId: await anOrganization(tenant), migrationId };
    expect(await tenant.refused(`${migratePath}/status`, elsewhere)).toMatchObject({ status: 'NOT_FOUND' });
    const stranger = await aTenant(installation.api);
    const own = { organizationId: document.organizationId, migrationId };
    expect(await stranger.refused(`${migratePath}/status`, own)).toMatchObject({ status: 'NOT_FOUND' });
  });

  it('rejects a second migration that names either id, with the id of the first', async () => {
    const document = await aDocument(tenant);
    const { documentId: third } = await aDocument(tenant, { organizationId: document.organizationId });
    const slow = await keyShare(document);
    const newDocumentId = freshId('moved');
    const migrationId = await migrate(tenant, document, newDocumentId);
    const { organizationId, documentId } = document;
    for (const [from, to] of [
      [documentId, newDocumentId],
      [documentId, freshId('other')],
      [newDocumentId, freshId('other')],
      [third, documentId],
      [third, newDocumentId],
    ]) {
      const refusal = await tenant.refused(migratePath, {
        organizationId,
        documentId: from,
        newDocumentId: to,
      });
      expect(refusal).toMatchObject({
        status: 'FAILED_PRECONDITION',
        message: 'A migration of this document is already running.',
        details: { migrationId },
      });
    }
    await slow.letGo();
    expect(await ended(tenant, document, migrationId)).toMatchObject({ status: 'completed' });
  });

  it('accepts one of two concurrent calls, and rejects the other with its id', async () => {
    for (let round = 0; round < 5; round += 1) {
      const document = await aDocument(tenant);
      // The migration cannot end before the last of the calls is decided.
      const slow = await keyShare(document);
      const responses = await Promise.all(
        Array.from({ length: 4 }, () =>
          tenant.call(migratePath, { ...document, newDocumentId: freshId('moved') }),
        ),
      );
      const [won, ...others] = responses.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      const { migrationId } = (won?.body.result?.data ?? {}) as { migrationId?: string };
      for (const { body } of responses.filter(({ status }) => status !== 200)) {
        expect(body.error).toMatchObject({ status: 'FAILED_PRECONDITION', details: { migrationId } });
      }
      await slow.letGo();
    }
  });

  it('rejects documents/add of either reserved id', async () => {
    const document = await aDocument(tenant);
    const newDocumentId = freshId('moved');
    const slow = await keyShare(document);
    const migrationId = await migrate(tenant, document, newDocumentId);
    for (const documentId of [document.documentId, newDocumentId]) {
      const { data } = await tenant.ok<Record<string, object>>(addPath, {
        organizationId: document.organizationId,
        documents: [{ documentId }],
      });
      expect(data[documentId]).toMatchObject({ success: false, code: 'already-exists' });
    }
    expect(
      await tenant.refused('/v2/activities/add', {
        organizationId: document.organizationId,
        documentId: newDocumentId,
        createDocument: true,
        activities: activities(1),
      }),
    ).toMatchObject({ status: 'FAILED_PRECONDITION', details: { migrationId } });
    await slow.letGo();
    await ended(tenant, document, migrationId);
  });

  it('assigns the new id either to documents/add or to the migration', async () => {
    for (let round = 0; round < 5; round += 1) {
      const document = await aDocument(tenant);
      const { organizationId } = document;
      const contested = freshId('contested');
      const [added, accepted] = await Promise.all([
        tenant.ok<Record<string, { success: boolean }>>(addPath, {
          organizationId,
          documents: [{ documentId: contested }],
        }),
        tenant.call(migratePath, { ...document, newDocumentId: contested }),
      ]);
      const wasAdded = added.data[contested]?.success === true;
      const migration = accepted.body.result?.data as { migrationId: string } | undefined;
      const status = migration && (await ended(tenant, document, migration.migrationId));
      expect(wasAdded).toBe(status?.status !== 'completed');
      if (status?.status === 'failed') expect(status.error).toBe('newDocumentId was taken meanwhile');
      const expected = wasAdded ? [contested, document.documentId] : [contested];
      expect(await documentIds(tenant, organizationId)).toEqual(expected.sort());
    }
  });

  it('fails without a change when the new id was taken between its acceptance and the flip', async () => {
    const document = await aDocument(tenant);
    const added = await addActivityLogs(tenant, document, activities(3));
    const taken = freshId('taken');
    const slow = await keyShare(document);
    const migrationId = await migrate(tenant, document, taken);
    // Simulates a documents/add that read the reservations before this one was written.
    await sql(
      `insert into document (api_key_id, org_id, ext_id, name) select api_key_id, org_id, $2, $2 from document where ext_id = $1`,
      [document.documentId, taken],
    );
    await slow.letGo();
    expect(await ended(tenant, document, migrationId)).toMatchObject({
      status: 'failed',
      error: 'newDocumentId was taken meanwhile',
      verified: null,
    });
    expect((await activityIds(tenant, document)).sort()).toEqual(added.sort());
    expect(
      await sql('select 1 from id_reservation where ext_id in ($1, $2)', [document.documentId, taken]),
    ).toEqual([]);
  });

  it('moves along a chain, and each older id returns the current one', async () => {
    const document = await aDocument(tenant);
    const { organizationId, documentId: first } = document;
    const [second, third] = [freshId('second'), freshId('third')];
    await ended(tenant, document, await migrate(tenant, document, second));
    await ended(tenant, document, await migrate(tenant, { organizationId, documentId: second }, third));
    for (const documentId of [first, second]) {
      const refusal = await tenant.refused(migratePath, { organizationId, documentId, newDocumentId: 'x' });
      expect(refusal).toMatchObject({ status: 'NOT_FOUND', details: { movedTo: third } });
    }
  });

  it('moves back, and then forward again', async () => {
    const document = await aDocument(tenant);
    const { organizationId, documentId: first } = document;
    const second = freshId('second');
    const there = { organizationId, documentId: second };
    await ended(tenant, document, await migrate(tenant, document, second));
    await ended(tenant, document, await migrate(tenant, there, first));
    expect(await documentIds(tenant, organizationId)).toEqual([first]);
    expect(await tenant.refused('/v2/activities/get', there)).toMatchObject({ details: { movedTo: first } });
    await ended(tenant, document, await migrate(tenant, document, second));
    expect(await tenant.refused('/v2/activities/get', document)).toMatchObject({
      details: { movedTo: second },
    });
  });

  it('swaps two documents with their records by three migrations', async () => {
    const left = await aDocument(tenant);
    const { organizationId } = left;
    const right = await aDocument(tenant, { organizationId });
    const ofLeft = await addActivityLogs(tenant, left, activities(2));
    const ofRight = await addActivityLogs(tenant, right, activities(3));
    expect(await tenant.refused(migratePath, { ...left, newDocumentId: right.documentId })).toMatchObject({
      status: 'ALREADY_EXISTS',
    });
    const aside = { organizationId, documentId: freshId('aside') };
    for (const [from, to] of [
      [left, aside],
      [right, left],
      [aside, right],
    ] as const) {
      expect(await ended(tenant, from, await migrate(tenant, from, to.documentId))).toMatchObject({
        status: 'completed',
        verified: true,
      });
    }
    expect((await activityIds(tenant, right)).sort()).toEqual(ofLeft.sort());
    expect((await activityIds(tenant, left)).sort()).toEqual(ofRight.sort());
  });

  it('moves to an id that a document of a deleted folder still has', async () => {
    const folder = await aFolder(tenant);
    const { organizationId } = folder;
    const hidden = await aDocument(tenant, { ...folder });
    const document = await aDocument(tenant, { organizationId });
    await tenant.ok('/v2/organizations/folders/delete', folder);
    const migrationId = await migrate(tenant, document, hidden.documentId);
    expect(await ended(tenant, document, migrationId)).toMatchObject({ status: 'completed', verified: true });
    expect(await documentIds(tenant, organizationId)).toEqual([hidden.documentId]);
  });

  it('keeps ids with any bytes unchanged', async () => {
    const document = await aDocument(tenant, { documentId: ' ä/%2F"\'; drop -- 🙂 ' });
    const newDocumentId = `constructor${'🙂'.repeat(247)}`;
    await ended(tenant, document, await migrate(tenant, document, newDocumentId));
    expect(await documentIds(tenant, document.organizationId)).toEqual([newDocumentId]);
  });
});
