import { describe, expect, it } from '@jest/globals';
import { aDocument, aFolder, freshId } from '../../support/factories.ts';
import { annotationsScene, comment, annotation, type Annotation } from './annotations-scene.ts';

const scene = await annotationsScene();
const { tenant, add, get, listed } = scene;

describe('getting annotations', () => {
  it('returns annotations by id in request order, with null for an unknown id and for one that does not match', async () => {
    await add(
      ['a', 'b', 'c'].map((annotationId) => annotation({ annotationId, location: { id: annotationId } })),
    );
    const of = { documentId: scene.document.documentId, annotationIds: ['c', 'no', 'a'] };
    expect(await listed(of)).toEqual(['c', undefined, 'a']);
    expect(await listed({ ...of, locationIds: ['a'] })).toEqual([undefined, undefined, 'a']);
    for (const nobody of [{ userIds: ['no'] }, { mentionedUserIds: ['no'] }, { resolvedBy: 'no' }])
      expect((await get({ ...of, ...nobody })).data).toEqual([null, null, null]);
    const refusal = await tenant.refused('/v2/commentannotations/get', {
      ...scene.document,
      ...of,
      pageSize: 1,
    });
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT' });
    expect(await listed({ annotationIds: ['c', 'no', 'a'], order: 'asc' })).toEqual(['a', 'c']);
  });

  it('returns pages of documents, folders, users and the organization in both orders', async () => {
    const { organizationId } = scene.document;
    const { folderId } = await aFolder(tenant, { organizationId });
    const inFolder = await aDocument(tenant, { organizationId, folderId });
    const at = 1_000_000;
    for (let n = 0; n < 10; n += 1) {
      const from = { userId: n % 2 === 0 ? 'even' : 'odd' };
      const times = { createdAt: at + n, lastUpdated: at + n };
      await add(
        [{ annotationId: `a${String(n)}`, ...times, commentData: [comment({ from })] }],
        n < 5 ? scene.document : inFolder,
      );
    }
    const all = Array.from({ length: 10 }, (_, n) => `a${String(n)}`);
    const paged = async (filter: object): Promise<(string | undefined)[]> => {
      const found: (string | undefined)[] = [];
      let pageToken: string | undefined;
      do {
        const page = await get({ ...filter, pageSize: 3, pageToken });
        found.push(...page.data.map((one) => one?.annotationId));
        pageToken = (page as { nextPageToken?: string }).nextPageToken;
      } while (pageToken !== undefined);
      return found;
    };
    const odd = all.filter((_, n) => n % 2 === 1);
    for (const [filter, expected] of [
      [{}, all],
      [{ documentId: scene.document.documentId }, all.slice(0, 5)],
      [{ documentIds: [scene.document.documentId, inFolder.documentId, 'unknown'] }, all],
      [{ folderId }, all.slice(5)],
      [{ folderId: 'root' }, all.slice(0, 5)],
      [{ userIds: ['odd'] }, odd],
      [{ userIds: ['odd', 'even'] }, all],
      [{ userIds: ['odd'], documentId: scene.document.documentId }, odd.slice(0, 2)],
      [{ userIds: ['nobody'] }, []],
      [{ updatedAfter: at + 2, updatedBefore: at + 7 }, all.slice(3, 7)],
      [{ createdAfter: at + 2, createdBefore: at + 7 }, all.slice(3, 7)],
      [{ statusId: 'OPEN' }, all],
      [{ statusIds: ['other'] }, []],
    ] as const) {
      expect(await paged({ ...filter, order: 'asc' })).toEqual(expected);
      expect(await paged(filter)).toEqual(expected.toReversed());
    }
    const whole = await get({ order: 'asc' }, '/v1/commentannotations/get');
    expect(whole.data.map((one) => one?.annotationId)).toEqual(all);
    const grouped = await get({ groupByDocumentId: true, order: 'asc' }, '/v1/commentannotations/get');
    const groups = grouped.data as unknown as Record<string, Annotation[]>;
    expect(groups[inFolder.documentId]?.map((one) => one.annotationId)).toEqual(all.slice(5));
    expect(Object.keys(groups).sort()).toEqual([scene.document.documentId, inFolder.documentId].sort());
    const [inner] = (await get({ documentId: inFolder.documentId, pageSize: 1 })).data;
    expect(inner?.['metadata']).toMatchObject({ folderId });
    expect(
      await tenant.refused('/v2/commentannotations/get', { organizationId, documentId: freshId('no') }),
    ).toMatchObject({
      status: 'NOT_FOUND',
    });
  });
});

describe('read marks', () => {
  const counts = async (userId: string, more: object = {}) =>
    (
      await tenant.ok<Record<string, object>>('/v2/commentannotations/count/get', {
        organizationId: scene.document.organizationId,
        userId,
        documentIds: [scene.document.documentId, 'unknown'],
        ...more,
      })
    ).data;
  const mark = async (userId: string, more: object = {}) =>
    tenant.ok('/v2/commentannotations/viewed/set', { ...scene.document, userId, ...more });

  it('count later changes by other users, and never move back', async () => {
    const at = Date.now() - 10_000;
    const times = { createdAt: at, lastUpdated: at };
    await add([annotation({ annotationId: 'a', ...times }), annotation({ annotationId: 'b', ...times })]);
    const none = { total: 0, unread: 0 };
    const of = (total: number, unread: number) => ({
      [scene.document.documentId]: { total, unread },
      unknown: none,
    });
    expect(await counts('ada')).toEqual(of(2, 0));
    expect(await counts('reader')).toEqual(of(2, 2));
    await mark('reader', { annotationIds: ['a', 'unknown'], viewedAt: at });
    expect(await counts('reader')).toEqual(of(2, 1));
    await mark('reader', { annotationIds: ['a'], viewedAt: at - 5_000 });
    expect(await counts('reader')).toEqual(of(2, 1));
    expect(await mark('reader')).toMatchObject({
      message: 'Annotations marked as viewed.',
      data: { success: true },
    });
    expect(await counts('reader')).toEqual(of(2, 0));
    expect(await counts('reader', { statusIds: ['other'] })).toEqual(of(0, 0));
    const future = { ...scene.document, userId: 'reader', viewedAt: Date.now() + 60_000 };
    expect(await tenant.refused('/v2/commentannotations/viewed/set', future)).toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('count only annotations that the user may see', async () => {
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const { organizationId } = scene.document;
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'member' }] });
    await add([
      annotation({ annotationId: 'public' }),
      annotation({ annotationId: 'own', visibility: { type: 'organizationPrivate' } }),
      annotation({
        annotationId: 'foreign',
        visibility: { type: 'organizationPrivate', organizationId: 'elsewhere' },
      }),
      annotation({ annotationId: 'few', visibility: { type: 'restricted', userIds: ['few'] } }),
    ]);
    const totals: [string, number][] = [
      ['ada', 4],
      ['member', 2],
      ['few', 2],
      ['unknown', 1],
    ];
    for (const [userId, total] of totals)
      expect((await counts(userId))[scene.document.documentId]).toMatchObject({ total });
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: false });
  });
});
