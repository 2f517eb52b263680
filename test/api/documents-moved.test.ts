import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aTenant, withActivityLogs, type TestTenant } from '../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;
let old: { readonly organizationId: string; readonly documentId: string };

beforeAll(async () => {
  api = await startTestApi();
  tenant = await withActivityLogs(await aTenant(api));
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  old = await aDocument(tenant);
  await tenant.ok('/v2/organizations/documents/migrate', { ...old, newDocumentId: 'moved' });
  // Writes the rows that the worker's flip writes.
  await api.database.sql(`update document set ext_id = 'moved' where ext_id = $1`, [old.documentId]);
  await api.database.sql('update migration set flipped_at = now() where old_ext_id = $1', [old.documentId]);
  await api.database.sql('delete from id_reservation');
});

afterAll(async () => api.close());

const actionUser = { userId: 'u1' };

describe('a call with the old id of a moved document', () => {
  const writes: readonly [string, object][] = [
    ['/v2/activities/add', { activities: [{ featureType: 'comment', actionType: 'x', actionUser }] }],
    [
      '/v2/notifications/add',
      {
        actionUser,
        notifyUsers: [{ userId: 'u2' }],
        displayHeadlineMessageTemplate: 'x',
        displayBodyMessage: 'x',
      },
    ],
    ['/v2/users/add', { users: [actionUser] }],
  ];
  const reads: readonly [string, object][] = [
    ['/v2/activities/get', {}],
    ['/v2/crdt/get', {}],
    ['/v2/organizations/documents/migrate', { newDocumentId: 'elsewhere' }],
  ];
  const withFlag = writes.map(([path, data]): [string, object] => [path, { ...data, createDocument: true }]);

  it.each([...writes, ...withFlag, ...reads])(
    'to %s with %j returns movedTo, without the hint to create the document',
    async (path, data) => {
      const refusal = await tenant.refused(path, { ...old, ...data });
      expect([refusal.http, refusal.status, refusal.message, refusal.details['movedTo']]).toEqual([
        404,
        'NOT_FOUND',
        'Document does not exist',
        'moved',
      ]);
    },
  );

  it('to documents/move returns movedTo and all missing ids', async () => {
    const { organizationId, documentId } = old;
    const documentIds = [documentId, 'nowhere'];
    const refusal = await tenant.refused('/v2/organizations/documents/move', {
      organizationId,
      documentIds,
      folderId: 'root',
    });
    expect([refusal.http, refusal.message]).toEqual([404, 'Document does not exist']);
    expect(refusal.details).toMatchObject({ movedTo: 'moved', documentIds });
  });

  it('returns the hint when the document has not moved', async () => {
    for (const [path, data] of writes) {
      const { message, details } = await tenant.refused(path, { ...old, documentId: 'nowhere', ...data });
      expect(message).toBe(
        'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
      );
      expect(details).not.toHaveProperty('movedTo');
    }
  });
});
