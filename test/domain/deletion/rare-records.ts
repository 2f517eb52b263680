import * as Y from 'yjs';
import { changed } from '../../api/crdt/crdt-scene.ts';
import { freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import type { Cast, RandomRequests } from './random-requests.ts';

/** Writes records that requests filled at random contain rarely, or never in this combination. */
export async function writeRareRecords(
  tenant: TestTenant,
  location: TestDocument,
  { named, told, others }: Cast,
  requests: RandomRequests,
): Promise<void> {
  const naming = { by: { userId: named.userId }, [named.userId]: requests.json(), told: told.userId };
  // Executions of the key as a whole.
  for (const ranBy of [{ userId: named.userId, name: named.name }, { userId: others[0] }])
    await tenant.ok('/v2/agents/execution/add', { agentId: 'rare', ranBy, results: naming });
  // A setting with a value before and after.
  for (const isOn of [true, false]) {
    const triggers = { comment: { [named.userId]: isOn, [told.userId]: isOn } };
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: { triggers } });
  }
  // Shared content that a client wrote, in a document that no random removal names.
  const { organizationId } = location;
  const documentId = freshId('rare');
  await tenant.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
  const editor = { organizationId, documentId, editorId: 'rare', contentKey: 'rare' };
  await tenant.ok('/v2/crdt/add', { ...editor, type: 'map', data: { kept: 1 } });
  const update = changed(new Y.Doc(), (doc) => doc.getMap('rare').set('naming', naming));
  await tenant.ok('/v2/crdt/update', { ...editor, update });
}
