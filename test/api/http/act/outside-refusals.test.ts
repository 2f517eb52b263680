import { describe, expect, it } from '@jest/globals';
import { fenceUsers } from '../../../../domain/deletion/fence-users.ts';
import { documentScene } from '../../../support/document-scene.ts';
import { freshId } from '../../../support/factories.ts';
import { begunDeletion, carriedOut, whole } from '../../../domain/deletion/carry-out.ts';

const scene = await documentScene();

describe('a refusal after the outside call', () => {
  it('is stored under the Idempotency-Key and replayed, although the call would now succeed', async () => {
    const { api, tenant, document } = scene;
    const userId = freshId('u');
    const headers = { 'idempotency-key': freshId('key') };
    const data = { ...document, editorId: 'notes', type: 'text', data: 'Hello', lastUpdatedBy: userId };
    const deletion = await begunDeletion(api, tenant, { userIds: [userId] });
    await whole(fenceUsers(api.orm, deletion));
    const refusal = await tenant.refused('/v2/crdt/add', data, { headers });
    expect(refusal.status).toBe('FAILED_PRECONDITION');
    await carriedOut(api, deletion);
    const repeated = await tenant.refused('/v2/crdt/add', data, { headers });
    expect(repeated.status).toBe('FAILED_PRECONDITION');
    expect(repeated.headers['idempotent-replayed']).toBe('true');
    await tenant.ok('/v2/crdt/add', data, { headers: { 'idempotency-key': freshId('key') } });
  });
});
