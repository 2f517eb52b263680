import { beforeEach, describe, expect, it } from '@jest/globals';
import { annotationGroups } from '../../../api/comments/read-annotations.ts';
import type { AnnotationView } from '../../../api/comments/annotation.ts';
import type { Grouped } from '../../../api/http/response/list-form.ts';
import type { Page } from '../../../api/http/response/page-reader.ts';
import { rowsOnly } from '../../../domain/page-limit.ts';
import { documentScene } from '../../support/document-scene.ts';
import { statementsOf } from '../../support/statements.ts';
import { annotation } from './annotations-scene.ts';

const scene = await documentScene();
const { api, tenant } = scene;
const path = '/v2/commentannotations/get';

type Groups = Readonly<Record<string, readonly { readonly annotationId: string }[]>>;

const idOf = (n: number): string => `d${String(n).padStart(4, '0')}`;

let organizationId: string;
beforeEach(async () => {
  ({ organizationId } = scene.document);
  await tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [annotation({ annotationId: 'first' })],
  });
});

/** Adds documents, each with as many copies of an annotation. Their ids precede that of the first document. */
async function documents(count: number, copies: number): Promise<void> {
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: Array.from({ length: count }, (_, n) => ({ documentId: idOf(n) })),
  });
  const [{ copied } = { copied: '' }] = await api.database.sql<{ copied: string }>(
    `select string_agg('t.' || column_name, ', ') as copied from information_schema.columns
     where table_name = 'thread' and column_name not in ('id', 'ext_id', 'document_id', 'location_id')`,
  );
  await api.database.sql(
    `insert into thread (ext_id, document_id, location_id, ${copied.replaceAll('t.', '')})
     select d.ext_id || '-' || n, d.id, 'there', ${copied}
     from thread t join organization o on o.id = t.org_id join document d on d.org_id = o.id and d.ext_id like 'd0%'
       cross join generate_series(1, $2::int) n
     where o.ext_id = $1 and t.ext_id = 'first'`,
    [organizationId, copies],
  );
}

const grouped = async (more: object = {}) =>
  tenant.ok<Groups>(path, { organizationId, groupByDocumentId: true, ...more });

/** All pages. */
async function pages(more: object): Promise<Groups[]> {
  const found: Groups[] = [];
  let pageToken: string | undefined;
  do {
    const page = await grouped({ ...more, ...(pageToken !== undefined && { pageToken }) });
    found.push(page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

/** Threads that the statements of a call examined, from their plans. */
async function examinedBy(act: () => Promise<unknown>): Promise<number> {
  let sum = 0;
  for (const { text, values } of await statementsOf(act)) {
    if (!text.includes('examined as materialized')) continue;
    const [row] = await api.database.sql<{ 'QUERY PLAN': string }>(`explain (analyze, format json) ${text}`, [
      ...values,
    ]);
    const plan = JSON.stringify(row?.['QUERY PLAN']);
    const [, rows = ''] = plan.split('"CTE examined"')[1]?.split('"Actual Rows":') ?? [];
    sum += Number.parseFloat(rows);
  }
  return sum;
}

describe('annotations by document', () => {
  it('are read by as many statements for 50 documents as for one', async () => {
    await documents(50, 1);
    await grouped({ pageSize: 1 });
    const one = await statementsOf(async () => grouped({ pageSize: 1 }));
    const all = await statementsOf(async () => {
      expect(Object.keys((await grouped()).data)).toHaveLength(51);
    });
    const texts = (sent: typeof all) => sent.map(({ text }) => text);
    expect(texts(all)).toEqual(texts(one));
  });

  it('have equal pages of any size, in either order', async () => {
    await documents(7, 5);
    const whole = Object.values((await grouped()).data).flat();
    expect(whole).toHaveLength(36);
    for (const order of ['asc', 'desc'])
      for (const pageSize of [1, 4, 5, 6, 35]) {
        const found = (await pages({ order, pageSize })).flatMap((page) => Object.values(page).flat());
        const expected = Object.values((await grouped({ order })).data).flat();
        expect(found).toEqual(expected);
      }
  });

  it('are examined up to 20,000 a call with a filter without an index', async () => {
    await documents(21, 1_000);
    const filter = { locationIds: ['here'] };
    await api.database.sql(
      `update thread t set location_id = 'here' from organization o
       where o.id = t.org_id and o.ext_id = $1 and t.ext_id = 'first'`,
      [organizationId],
    );
    expect(await examinedBy(async () => grouped(filter))).toBe(20_000);
    const found = await pages(filter);
    expect(found.map((page) => Object.keys(page))).toEqual([[], [scene.document.documentId]]);
  });

  it('follow on the next page when the last annotation that a page examines fills a chunk', async () => {
    await documents(1, 20_000);
    const [{ id } = { id: '' }] = await api.database.sql<{ id: string }>(
      `with here as (
         update thread t set location_id = 'here' from organization o
         where o.id = t.org_id and o.ext_id = $1 and t.ext_id in ('first', 'd0000-20000'))
       select id from organization where ext_id = $1`,
      [organizationId],
    );
    const reader = () =>
      annotationGroups({
        em: api.orm.em.fork(),
        organization: { id },
        query: { source: { by: 'organization' }, filter: { locationIds: ['here'] }, order: 'asc' },
        documents: undefined,
        streams: false,
        rendered: async (_em, threads) =>
          Promise.resolve(threads.map(({ ext_id }) => ({ annotationId: ext_id }) as AnnotationView)),
      });
    const found = ({ items }: Page<Grouped<AnnotationView>>) => items.map(({ item }) => item.annotationId);
    const page = reader();
    const chunk = await page(undefined, rowsOnly(1));
    const end = await page(chunk.next, rowsOnly(1));
    expect([found(chunk), found(end), end.next]).toEqual([['d0000-20000'], [], chunk.next]);
    expect(found(await reader()(end.next, rowsOnly(1)))).toEqual(['first']);
  });

  it('follow 5,000 documents without annotations, which one page examines', async () => {
    const [{ copied } = { copied: '' }] = await api.database.sql<{ copied: string }>(
      `select string_agg(column_name, ', ') as copied from information_schema.columns
       where table_name = 'document' and column_name not in ('id', 'ext_id')`,
    );
    await api.database.sql(
      `insert into document (ext_id, ${copied})
       select 'c' || lpad(n::text, 5, '0'), ${copied} from document, generate_series(1, 5100) n where ext_id = $1`,
      [scene.document.documentId],
    );
    expect(await pages({})).toMatchObject([{}, { [scene.document.documentId]: [{ annotationId: 'first' }] }]);
  });
});
