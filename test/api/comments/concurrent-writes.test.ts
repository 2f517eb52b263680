import { describe, expect, it } from '@jest/globals';
import { anEndpoint } from '../../support/webhooks.ts';
import { documentScene } from '../../support/document-scene.ts';
import { eventually, repeatUntil } from '../../support/eventually.ts';
import { aDocument, type TestDocument } from '../../support/factories.ts';
import { threadsOf } from './thread-rows.ts';

const scene = await documentScene();
const { api, tenant } = scene;
await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
await anEndpoint(api, tenant, 'http://127.0.0.1/');

type Annotation = Readonly<Record<string, unknown>> & {
  readonly comments: readonly Record<string, unknown>[];
};

const at = (operation: string): string => `/v2/commentannotations/${operation}`;

const addTo = async (document: TestDocument, ...commentAnnotations: readonly object[]) =>
  tenant.ok(at('add'), {
    ...document,
    commentAnnotations: commentAnnotations.map((sent) => ({
      commentData: [{ from: { userId: 'ada' } }],
      ...sent,
    })),
  });
const add = async (...commentAnnotations: readonly object[]) => addTo(scene.document, ...commentAnnotations);

const read = async (annotationId: string): Promise<Annotation | null> => {
  const request = { ...scene.document, annotationIds: [annotationId] };
  return (await tenant.ok<(Annotation | null)[]>(at('get'), request)).data[0] ?? null;
};

const eventsOfDocument = async (): Promise<string[]> => {
  const found = await api.database.sql<{ type: string }>(
    `select e.type from event e join document d on d.id = e.document_id where d.ext_id = $1 order by e.id`,
    [scene.document.documentId],
  );
  return found.map(({ type }) => type);
};

describe('two calls at once', () => {
  it('that resolve one suggestion apply one after the other, each completely, and both emit events', async () => {
    const rounds = Array.from({ length: 4 }, (_, round) => `s${String(round)}`);
    await add(
      ...rounds.map((annotationId) => ({ annotationId, type: 'suggestion', suggestion: { newValue: 1 } })),
    );
    const resolve = async (annotationId: string, userId: string, status: string) =>
      tenant.ok(at('update'), {
        ...scene.document,
        annotationIds: [annotationId],
        updatedData: {
          suggestion: { newValue: userId, status },
          status: { id: status, name: status, type: 'terminal' },
          resolvedByUserId: userId,
        },
        triggerActivities: true,
      });
    await Promise.all(
      rounds.flatMap((annotationId) => [
        resolve(annotationId, 'ben', 'accepted'),
        resolve(annotationId, 'cleo', 'rejected'),
      ]),
    );
    for (const annotationId of rounds) {
      const found = await read(annotationId);
      const [userId, status] =
        found?.['resolvedByUserId'] === 'ben' ? ['ben', 'accepted'] : ['cleo', 'rejected'];
      expect(found).toMatchObject({
        resolvedByUserId: userId,
        suggestion: { newValue: userId, status },
        status: { id: status },
      });
    }
    const emitted = await eventsOfDocument();
    const count = (type: string) => emitted.filter((other) => other === `comment_annotation.${type}`).length;
    expect([count('suggestion_accept'), count('suggestion_reject'), count('status_change')]).toEqual([
      4, 4, 8,
    ]);
  });

  it('that update one comment leave the content of one of them, and both emit events', async () => {
    await add({ annotationId: 'one' });
    const sent = ['ben', 'cleo'].map((name) => ({
      commentText: name,
      commentHtml: `<b>${name}</b>`,
      taggedUserContacts: [{ userId: name }],
      context: { by: name },
    }));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        sent.map(async (updatedData) =>
          tenant.ok(at('comments/update'), {
            ...scene.document,
            annotationId: 'one',
            commentIds: [1],
            updatedData: { ...updatedData, commentText: `${updatedData.commentText} ${String(round)}` },
            triggerActivities: true,
          }),
        ),
      );
      const found = await read('one');
      const { by } = { by: '', ...(found?.comments[0]?.['context'] as object) };
      expect(found).toMatchObject({
        mentionedUserIds: [by],
        comments: [{ commentText: `${by} ${String(round)}`, commentHtml: `<b>${by}</b>`, isEdited: true }],
      });
    }
    expect(await eventsOfDocument()).toEqual(Array.from({ length: 6 }, () => 'comment.update'));
  });
});

describe('random calls on the same annotations at once', () => {
  const names = ['ada', 'ben', 'cleo', 'dora'];
  const random = (max: number): number => Math.floor(Math.random() * max);
  const one = (): string => names[random(names.length)] ?? 'ada';
  const user = (): object => ({ userId: one() });
  const annotationId = (): string => `t${String(random(3))}`;
  const comment = (): object => {
    const userId = one();
    return { from: user(), commentText: `{{${userId}}}`, taggedUserContacts: [{ userId }] };
  };
  const reaction = (): object => ({
    annotationId: annotationId(),
    commentId: 1 + random(4),
    icon: `i${String(random(3))}`,
    from: user(),
  });

  /** A random call of each operation. */
  const calls: readonly (() => readonly [operation: string, data: object])[] = [
    () => ['comments/add', { annotationId: annotationId(), commentData: [comment(), comment()] }],
    () => ['comments/add', { annotationId: annotationId(), commentData: [comment()] }],
    () => ['comments/update', { annotationId: annotationId(), userIds: [one()], updatedData: comment() }],
    () => ['comments/delete', { annotationId: annotationId(), commentIds: [1 + random(4)] }],
    () => ['comments/reactions/add', reaction()],
    () => ['comments/reactions/add', reaction()],
    () => ['comments/reactions/delete', reaction()],
    () => ['update', { updatedData: { assignedTo: user(), statusUpdatedByUserId: one() } }],
    () => ['update', { updateUsers: [{ oldUser: user(), newUser: user() }] }],
    () => ['delete', { annotationIds: [annotationId()] }],
    () => ['add', { commentAnnotations: [{ annotationId: annotationId(), commentData: [comment()] }] }],
    () => ['add', { commentAnnotations: [{ annotationId: annotationId(), commentData: [comment()] }] }],
    () => ['viewed/set', { userId: one(), annotationIds: [annotationId()] }],
  ];

  it('succeed or return NOT_FOUND, and leave counters, roles and contents exact', async () => {
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(
        Array.from({ length: 60 }, async () => {
          const [operation, data] = (calls[random(calls.length)] as (typeof calls)[number])();
          const { body } = await tenant.call(at(operation), { ...scene.document, ...data });
          const status = body.error?.status ?? 'success';
          expect(['success', 'NOT_FOUND', 'ALREADY_EXISTS']).toContain(status);
        }),
      );
      const threads = await threadsOf(api, scene.document);
      for (const thread of threads)
        expect(thread).toEqual({ ...thread, countersExact: true, rolesExact: true });
      expect(threads.every(({ comments }) => comments > 0)).toBe(true);
      const orphanedMarks = await api.database.sql(
        'select from thread_view v where v.thread_id > 0 and not exists (select from thread t where t.id = v.thread_id)',
      );
      expect(orphanedMarks).toEqual([]);
    }
  });
});

describe('concurrent small additions to one document', () => {
  const count = 60;
  const each = async <Result>(write: (at: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: count }, async (_, at) => write(at)));
  /** Whether the calls of a document shared transactions. They do not when a slow machine sends them one by one. */
  const shared = async (table: 'thread' | 'comment', { organizationId }: TestDocument): Promise<boolean> => {
    const [row] = await api.database.sql<{ count: number }>(
      `select count(distinct xmin::text)::int as count from ${table} where org_id =
        (select id from organization where api_key_id = $1 and ext_id = $2)`,
      [tenant.id, organizationId],
    );
    expect(row?.count).toBeGreaterThan(0);
    return (row?.count ?? count) < count / 2;
  };
  const comment = { from: { userId: 'ada' } };
  const addComment = async (document: TestDocument, annotationId: string, members: object = {}) =>
    tenant.ok<number[]>(at('comments/add'), {
      ...document,
      annotationId,
      commentData: [{ ...comment, ...members }],
    });

  it('share transactions of annotations, each with its own response', async () => {
    await repeatUntil(async () => {
      const document = await aDocument(tenant);
      const sent = await each(async (number) =>
        tenant.ok<Record<string, object>>(at('add'), {
          ...document,
          commentAnnotations: [{ annotationId: `a-${String(number)}`, commentData: [comment] }],
        }),
      );
      for (const [number, { data }] of sent.entries()) {
        const added = expect.objectContaining({ success: true, index: 0 });
        expect(data).toEqual({ [`a-${String(number)}`]: added });
      }
      return shared('thread', document);
    });
  });

  it('share transactions of comments, with distinct ids and exact counts in each annotation', async () => {
    await repeatUntil(async () => {
      const document = await aDocument(tenant);
      await addTo(document, { annotationId: 'even' }, { annotationId: 'odd' });
      const sent = await each(async (number) => addComment(document, number % 2 === 0 ? 'even' : 'odd'));
      for (const remainder of [0, 1]) {
        const ids = sent.filter((_, number) => number % 2 === remainder).flatMap(({ data }) => data);
        expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: count / 2 }, (_, n) => n + 2));
      }
      expect(await threadsOf(api, document)).toEqual(
        ['even', 'odd'].map((annotationId) => ({
          annotationId,
          comments: count / 2 + 1,
          countersExact: true,
          rolesExact: true,
        })),
      );
      return shared('comment', document);
    });
  });

  it('write all others when one is refused, and a repeated comment once', async () => {
    await add({ annotationId: 'thread' });
    const [missing, ...ids] = await Promise.all([
      tenant.refused(at('comments/add'), {
        ...scene.document,
        annotationId: 'unknown',
        commentData: [comment],
      }),
      ...Array.from({ length: 20 }, async () => addComment(scene.document, 'thread', { commentId: 500 })),
    ]);
    expect([missing.http, missing.status]).toEqual([404, 'NOT_FOUND']);
    for (const { data } of ids) expect(data).toEqual([500]);
    expect((await read('thread'))?.comments).toHaveLength(2);
  });
});

describe('a page of annotations', () => {
  it('contains each annotation with the comments that it had when the page was read', async () => {
    await add({ annotationId: 'grown' });
    const writer = await api.database.connect();
    await writer.query('begin; lock table comment in access exclusive mode');
    const reading = read('grown');
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () => (await api.database.sql(waiting)).length > 0);
    await writer.query(
      `insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, body)
       select t.api_key_id, t.org_id, t.id, 2, t.creator_id, 1, 1, '{"from": {"userId": "ada"}}' from thread t
       join document d on d.id = t.document_id where d.ext_id = $1`,
      [scene.document.documentId],
    );
    await writer.query('commit');
    expect((await reading)?.comments).toHaveLength(1);
    expect((await read('grown'))?.comments).toHaveLength(2);
  });
});
