import { beforeEach, describe, expect, it } from '@jest/globals';
import { documentScene } from '../../support/document-scene.ts';
import { aDocument, freshId, type TestDocument } from '../../support/factories.ts';

const scene = await documentScene({ tenantPerTest: true });
const get = '/v2/commentannotations/get';

/** Adds annotations whose rows count that many comments. A page is planned by these counts. */
async function withComments(
  location: TestDocument,
  annotationIds: readonly string[],
  count: number,
): Promise<void> {
  await scene.tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: annotationIds.map((annotationId) => ({
      annotationId,
      commentData: [{ from: { userId: 'ada' } }],
    })),
  });
  await scene.api.database.sql(
    'update thread set comment_count = $1 where api_key_id = $2 and ext_id = any($3)',
    [count, scene.tenant.id, annotationIds],
  );
}

type Grouped = Readonly<Record<string, readonly { readonly annotationId: string }[]>>;

/** The ids on each page. */
async function pages(data: object): Promise<string[][]> {
  const found: string[][] = [];
  let pageToken: string | undefined;
  do {
    const { data: page, nextPageToken } = await scene.tenant.ok<
      Grouped | readonly { readonly annotationId: string }[]
    >(get, { ...data, pageToken });
    const items = Array.isArray(page) ? page : Object.values(page as Grouped).flat();
    found.push((items as { annotationId: string }[]).map(({ annotationId }) => annotationId));
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `thread-${String(n).padStart(2, '0')}`);

describe('annotations with many comments', () => {
  let organizationId: string;
  beforeEach(() => {
    ({ organizationId } = scene.document);
  });

  it('are returned by document, also when the first of a document is larger than a chunk', async () => {
    const other = await aDocument(scene.tenant, { organizationId, documentId: freshId('zz') });
    await withComments(scene.document, ['large', 'small'], 1_000);
    await withComments(other, ['other'], 1_000);
    for (const path of ['/v1/commentannotations/get', get]) {
      const { data } = await scene.tenant.ok<Grouped>(path, { organizationId, groupByDocumentId: true });
      const found = Object.entries(data).map(([id, items]) => [
        id,
        items.map((one) => one.annotationId).toSorted(),
      ]);
      expect(found).toEqual([
        [scene.document.documentId, ['large', 'small']],
        [other.documentId, ['other']],
      ]);
    }
    const found = await pages({ organizationId, groupByDocumentId: true, pageSize: 1 });
    expect(found.flat()).toHaveLength(3);
  });

  it('continue by document after 20,000 that do not match a filter', async () => {
    const other = await aDocument(scene.tenant, { organizationId, documentId: freshId('zz') });
    await withComments(scene.document, ['first'], 1);
    await withComments(other, ['found'], 1);
    const { database } = scene.api;
    const [{ copied } = { copied: '' }] = await database.sql<{ copied: string }>(
      `select string_agg(column_name, ', ') as copied from information_schema.columns
       where table_name = 'thread' and column_name not in ('id', 'ext_id', 'updated_at')`,
    );
    await database.sql(
      `insert into thread (ext_id, updated_at, ${copied})
       select 'copy-' || n, t.updated_at + n, ${copied} from thread t cross join generate_series(1, 20100) n
       where t.api_key_id = $1 and t.ext_id = 'first'`,
      [scene.tenant.id],
    );
    await scene.api.database.sql(
      `update thread set location_id = 'here' where api_key_id = $1 and ext_id = 'found'`,
      [scene.tenant.id],
    );
    const filter = { organizationId, groupByDocumentId: true, locationIds: ['here'] };
    expect((await pages(filter)).flat()).toEqual(['found']);
    const { data } = await scene.tenant.ok<Grouped>('/v1/commentannotations/get', filter);
    expect(Object.keys(data)).toEqual([other.documentId]);
  });

  it.each([false, true])(
    'end a page at 20,000 comments, groupByDocumentId: %s',
    async (groupByDocumentId) => {
      await withComments(scene.document, ids(25), 1_000);
      const found = await pages({ organizationId, groupByDocumentId, pageSize: 100 });
      expect(found.map(({ length }) => length)).toEqual([20, 5]);
      expect(found.flat().sort()).toEqual(ids(25));
    },
  );
});
