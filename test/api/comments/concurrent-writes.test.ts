import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import { threadsOf } from './thread-rows.ts';

let api: TestApi;
let tenant: TestTenant;
let place: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await anEndpoint(api, tenant, 'http://127.0.0.1/');
});
afterAll(() => api.close());
beforeEach(async () => {
  place = await aDocument(tenant);
});

type Annotation = Readonly<Record<string, unknown>> & {
  readonly comments: readonly Record<string, unknown>[];
};

const at = (operation: string): string => `/v2/commentannotations/${operation}`;

const add = async (...commentAnnotations: readonly object[]) =>
  tenant.ok(at('add'), {
    ...place,
    commentAnnotations: commentAnnotations.map((sent) => ({
      commentData: [{ from: { userId: 'ada' } }],
      ...sent,
    })),
  });

const read = async (annotationId: string): Promise<Annotation | null> => {
  const request = { ...place, annotationIds: [annotationId] };
  return (await tenant.ok<(Annotation | null)[]>(at('get'), request)).data[0] ?? null;
};

const eventsOfDocument = async (): Promise<string[]> => {
  const found = await api.database.sql<{ type: string }>(
    `select e.type from event e join document d on d.id = e.document_id where d.ext_id = $1 order by e.id`,
    [place.documentId],
  );
  return found.map(({ type }) => type);
};

describe('two calls at once', () => {
  it('that resolve one suggestion apply one after the other, each whole, and emit both', async () => {
    const rounds = Array.from({ length: 4 }, (_, round) => `s${String(round)}`);
    await add(
      ...rounds.map((annotationId) => ({ annotationId, type: 'suggestion', suggestion: { newValue: 1 } })),
    );
    const resolve = async (annotationId: string, userId: string, status: string) =>
      tenant.ok(at('update'), {
        ...place,
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

  it('that update one comment leave it as one of them sent it, edited, and emit both', async () => {
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
            ...place,
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

  it('succeed or find nothing, and leave counters, roles and contents exact', async () => {
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(
        Array.from({ length: 60 }, async () => {
          const [operation, data] = (calls[random(calls.length)] as (typeof calls)[number])();
          const { body } = await tenant.call(at(operation), { ...place, ...data });
          const status = body.error?.status ?? 'success';
          expect(['success', 'NOT_FOUND', 'ALREADY_EXISTS']).toContain(status);
        }),
      );
      const threads = await threadsOf(api, place);
      for (const thread of threads)
        expect(thread).toEqual({ ...thread, countersExact: true, rolesExact: true });
      expect(threads.every(({ comments }) => comments > 0)).toBe(true);
    }
  });
});
