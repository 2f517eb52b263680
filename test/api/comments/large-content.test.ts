import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { aDocument } from '../../support/factories.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene();
const { api, tenant } = scene;

interface Annotation {
  readonly annotationId: string;
  readonly metadata: { readonly documentId: string };
  readonly commentsCount: number;
  readonly comments: readonly { readonly commentText: string; readonly commentHtml: string }[];
}

const at = (operation: string): string => `/v2/commentannotations/${operation}`;

const from = { userId: 'ada' };

const filled = (unit: string, length: number): string => unit.repeat(length).slice(0, length);

/** HTML with deep nesting, and marks that are not closed. */
const units: Readonly<Record<string, string>> = {
  'nested elements': '<div>',
  'unbalanced elements': '</b><i>',
  scripts: '<script>alert(1)</script>',
  'open comments': '<!--',
  marks: '{{ben}}',
  'open marks': '{{ben',
  braces: '{',
  'closed marks': '}}',
  'null characters of HTML': '&#0;',
};

describe('content of the largest size', () => {
  it.each(Object.entries(units))('is stored as sent, and rewritten: %s', async (_name, unit) => {
    const [commentText, commentHtml] = [filled(unit, 50_000), filled(unit, 190_000)];
    const comment = { from, commentText, commentHtml, taggedUserContacts: [{ userId: 'ben' }] };
    await tenant.ok(at('add'), {
      ...scene.document,
      commentAnnotations: [{ annotationId: 'one', commentData: [comment] }],
    });
    const read = async () => {
      const { data } = await tenant.ok<Annotation[]>(at('get'), {
        ...scene.document,
        annotationIds: ['one'],
      });
      return data[0]?.comments[0];
    };
    expect(await read()).toMatchObject({ commentText, commentHtml });
    const updateUsers = [{ oldUser: { userId: 'ben' }, newUser: { userId: 'cid' } }];
    await tenant.ok(at('update'), { ...scene.document, updateUsers });
    const replaced = (text: string) => text.replaceAll('{{ben}}', '{{cid}}');
    expect(await read()).toMatchObject({
      commentText: replaced(commentText),
      commentHtml: replaced(commentHtml),
    });
  });

  it('ends a page at 10 MiB, and returns every annotation once', async () => {
    const large = { from, commentHtml: filled('<p>', 200_000) };
    for (let call = 0; call < 2; call += 1)
      await tenant.ok(at('add'), {
        ...scene.document,
        commentAnnotations: Array.from({ length: 30 }, (_, n) => ({
          annotationId: `a${String(call)}-${String(n)}`,
          commentData: [large],
        })),
      });
    const found: string[] = [];
    let pageToken: string | undefined;
    let pages = 0;
    do {
      const { body, text } = await tenant.call(at('get'), { ...scene.document, pageSize: 1_000, pageToken });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10 * 1_048_576 + 65_536);
      const annotations = (body.result?.data ?? []) as Annotation[];
      found.push(...annotations.map(({ annotationId }) => annotationId));
      pageToken = body.result?.nextPageToken;
      pages += 1;
    } while (pageToken !== undefined);
    expect(pages).toBeGreaterThan(1);
    expect([found.length, new Set(found).size]).toEqual([60, 60]);
  });
});

describe('an id that two documents share', () => {
  it('names one annotation in each, and every operation affects only that of its document', async () => {
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    for (const document of [scene.document, other])
      await tenant.ok(at('add'), {
        ...document,
        commentAnnotations: [
          { annotationId: 'shared', commentData: [{ from, commentText: document.documentId }] },
        ],
      });
    const all = async () => {
      const request = {
        organizationId: scene.document.organizationId,
        annotationIds: ['shared'],
        order: 'asc',
      };
      const { data } = await tenant.ok<Annotation[]>(at('get'), request);
      return data.map(({ metadata, commentsCount, comments }) => [
        metadata.documentId,
        commentsCount,
        comments[0]?.commentText,
      ]);
    };
    expect(await all()).toEqual([
      [scene.document.documentId, 1, scene.document.documentId],
      [other.documentId, 1, other.documentId],
    ]);
    const annotation = { ...scene.document, annotationId: 'shared' };
    await tenant.ok(at('comments/add'), { ...annotation, commentData: [{ from }] });
    await tenant.ok(at('comments/update'), {
      ...annotation,
      commentIds: [1],
      updatedData: { commentText: 'Changed' },
    });
    await tenant.ok(at('comments/reactions/add'), { ...annotation, commentId: 1, from, icon: '+1' });
    await tenant.ok(at('update'), {
      ...scene.document,
      annotationIds: ['shared'],
      updatedData: { context: { a: 1 } },
    });
    expect(await all()).toEqual([
      [other.documentId, 1, other.documentId],
      [scene.document.documentId, 2, 'Changed'],
    ]);
    await tenant.ok(at('delete'), { ...scene.document, annotationIds: ['shared'] });
    expect(await all()).toEqual([[other.documentId, 1, other.documentId]]);
  });
});

describe('the stored body of a large annotation', () => {
  /** Ids of the large values of annotations that PostgreSQL stores. Each write of a value gives it a new one. */
  const storedValues = async (): Promise<readonly string[]> => {
    const [table] = await api.database.sql<{ name: string }>(
      `select reltoastrelid::regclass::text as name from pg_class where oid = 'thread'::regclass`,
    );
    const found = await api.database.sql<{ id: string }>(
      `select distinct chunk_id::text as id from ${table?.name ?? ''} order by id`,
    );
    return found.map(({ id }) => id);
  };

  it('is written by an update of its members alone', async () => {
    const annotationId = 'large';
    const annotation = { ...scene.document, annotationIds: [annotationId] };
    // Random text does not compress.
    const context = { text: randomBytes(9_000).toString('base64') };
    await tenant.ok(at('add'), {
      ...scene.document,
      commentAnnotations: [{ annotationId, context, commentData: [{ from }, { from: { userId: 'ben' } }] }],
    });
    const stored = await storedValues();
    const update = async (data: object) => tenant.ok(at('update'), { ...annotation, ...data });
    await update({ updatedData: { lastUpdated: Date.now() + 60_000 } });
    await update({ updatedData: { statusUpdatedByUserId: 'cid' } });
    await update({ updateUsers: [{ oldUser: { userId: 'ben' }, newUser: { userId: 'dora' } }] });
    expect(await storedValues()).toEqual(stored);

    await update({ updatedData: { priority: { id: 'P0', name: 'Urgent' } } });
    expect(await storedValues()).not.toEqual(stored);
    const { data } = await tenant.ok(at('get'), annotation);
    expect(data).toMatchObject([
      { context, priority: { id: 'P0' }, comments: [{ from }, { from: { userId: 'dora' } }] },
    ]);
  });
});
