import { describe, expect, it } from '@jest/globals';
import { aDocument } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { recordingsScene, recording, idsOf, type Recording } from './recordings-scene.ts';

const scene = await recordingsScene();
const { api, tenant, add, get } = scene;

async function idsByPage(data: object): Promise<string[]> {
  const seen: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await tenant.ok<Recording[]>('/v2/recordings/get', {
      ...data,
      ...(pageToken !== undefined && { pageToken }),
    });
    expect(page.pageToken).toBe(page.nextPageToken);
    seen.push(...idsOf(page.data));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return seen;
}

describe('reading recordings', () => {
  it('returns the most recently updated first, by document, organization and id', async () => {
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([recording({ annotationId: 'a', createdAt: 1, lastUpdated: 10 })]);
    await add([recording({ annotationId: 'b', createdAt: 1, lastUpdated: 30 })]);
    await add([recording({ annotationId: 'c', createdAt: 1, lastUpdated: 20 })], other);
    expect(idsOf(await get())).toEqual(['b', 'c', 'a']);
    expect(idsOf(await get({ documentId: scene.document.documentId }))).toEqual(['b', 'a']);
    expect(idsOf(await get({ recordingIds: ['a', 'zz', 'c'] }))).toEqual(['c', 'a']);
    expect(idsOf(await get({ recordingIds: ['a', 'c'], documentId: other.documentId }))).toEqual(['c']);
    const refusal = await tenant.refused('/v2/recordings/get', { ...scene.document, documentId: 'nowhere' });
    expect([refusal.http, refusal.message]).toEqual([404, 'Document does not exist']);
  });

  it('returns every recording once, in pages of any size', async () => {
    const sent = Array.from({ length: 25 }, (_, n) =>
      recording({ annotationId: `r${String(n)}`, createdAt: 1, lastUpdated: Math.floor(n / 3) + 1 }),
    );
    await add(sent);
    const all = idsOf(await get());
    for (const pageSize of [1, 7, 25]) expect(await idsByPage({ ...scene.document, pageSize })).toEqual(all);
  });

  it('ends a page at 10 MiB', async () => {
    const text = 'x'.repeat(250_000);
    for (const half of [0, 1]) {
      await add(
        Array.from({ length: 25 }, (_, n) =>
          recording({ annotationId: `r${String(half)}-${String(n)}`, context: { text } }),
        ),
      );
    }
    const first = await tenant.ok<Recording[]>('/v2/recordings/get', scene.document);
    expect(first.data.length).toBeGreaterThan(35);
    expect(first.data.length).toBeLessThan(43);
    const rest = await get({ documentId: scene.document.documentId, pageToken: first.nextPageToken });
    expect(new Set(idsOf([...first.data, ...rest])).size).toBe(50);
  });

  it('uses one index for each filter', async () => {
    await add([recording({ annotationId: 'a' })]);
    const filters = [
      [{}, 'recording_org'],
      [{ documentId: scene.document.documentId }, 'recording_document'],
      [{ recordingIds: ['a'] }, 'recording_ext'],
      [{ recordingIds: ['a'], documentId: scene.document.documentId }, 'recording_ext'],
    ] as const;
    for (const [filter, index] of filters) {
      const sent = await statementsOf(async () => get(filter));
      const page = sent.find(({ text }) => text.includes('from recording'));
      const plan = await explain(api.database, page ?? { text: '' });
      expect(plan.indexes).toContain(index);
      expect(plan.wholeTables).not.toContain('recording');
    }
    const selections = [
      [{ documentId: scene.document.documentId }, 'recording_document'],
      [{ recordingIds: ['a'] }, 'recording_ext'],
    ] as const;
    for (const [selection, index] of selections) {
      const data = { organizationId: scene.document.organizationId, ...selection };
      const sent = await statementsOf(async () => tenant.ok('/v2/recordings/delete', data));
      const lock = sent.find(({ text }) => text.includes('from recording r'));
      expect((await explain(api.database, lock ?? { text: '' })).indexes).toContain(index);
    }
  });

  it('omits recordings of a deleted document at once', async () => {
    await add([recording({ annotationId: 'a' })]);
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: scene.document.organizationId,
      documentIds: [scene.document.documentId],
    });
    expect(await get()).toEqual([]);
  });

  it.each([1, 2, 25])(
    'returns a record of 256 KiB behind those of a deleted document (%d)',
    async (count) => {
      const { organizationId } = scene.document;
      const deleted = await aDocument(tenant, { organizationId });
      const context = { text: 'x'.repeat(261_600) };
      await add([recording({ annotationId: 'large', createdAt: 1, lastUpdated: 10, context })]);
      await add([recording({ annotationId: 'old', createdAt: 1, lastUpdated: 1 })]);
      const later = Array.from({ length: count }, (_, n) => recording({ createdAt: 1, lastUpdated: 20 + n }));
      await add(later, deleted);
      await tenant.ok('/v2/organizations/documents/delete', {
        organizationId,
        documentIds: [deleted.documentId],
      });
      const whole = await tenant.ok<Recording[]>('/v2/recordings/get', { organizationId });
      expect([idsOf(whole.data), whole.nextPageToken]).toEqual([['large', 'old'], undefined]);
      expect(await idsByPage({ organizationId, pageSize: 10 })).toEqual(['large', 'old']);
      expect(await idsByPage({ organizationId, pageSize: 1 })).toEqual(['large', 'old']);
    },
  );
});
