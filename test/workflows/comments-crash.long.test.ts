import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { threadsOf } from '../api/comments/thread-rows.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  calledThrough,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { killed, startProcess, type TestProcess } from '../support/processes.ts';
import { deleteData, endedDeletion } from './deletions.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Killed with kill -9 | When                                             | Then                                            |
 * |---------------------|--------------------------------------------------|-------------------------------------------------|
 * | worker              | in the cascade of a document's 100,000 comments  | another continues; nothing below is left        |
 * | worker              | in a deletion that competes with writers         | another continues; nothing of the user is left, |
 * |                     | of the same threads                              | and counters are exact                          |
 * | API                 | while callers write to the same threads          | each call took effect wholly or not at all      |
 */

let installation: Installation;
let tenant: TestTenant;

beforeAll(async () => {
  installation = await anInstallation();
  tenant = await withActivityLogs(await aTenant(installation.api));
});
afterAll(() => installation.close());

const at = (operation: string): string => `/v2/commentannotations/${operation}`;
const user = (userId: string): { readonly userId: string } => ({ userId });

/** Kills workers `kills` times while `goesOn` is true, and leaves one running. */
async function killWorkers(kills: number, goesOn: () => Promise<boolean>): Promise<number> {
  let worker = await installation.startWorker();
  let done = 0;
  while (done < kills && (await goesOn())) {
    await pause(50 + Math.random() * 400);
    await killed(worker);
    done += 1;
    worker = await installation.startWorker();
  }
  return done;
}

const left = async (table: string, organization: string): Promise<number> => {
  const [found] = await installation.api.database.sql<{ count: number }>(
    `select count(*)::int as count from ${table} where org_id = $1`,
    [organization],
  );
  return found?.count ?? 0;
};

/** 1,000 threads of one user with 100 comments and a reaction each, by SQL. */
async function loadComments({ documentId }: TestDocument): Promise<string> {
  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    installation.api.database.sql<Row>(text, values);
  const [location] = await sql<{ organization: string; document: string; user: string }>(
    `with u as (insert into app_user (api_key_id, ext_id) values ($1, $3) returning id)
     select d.org_id as organization, d.id as document, u.id as "user" from document d, u where d.api_key_id = $1 and d.ext_id = $2`,
    [tenant.id, documentId, freshId('writer')],
  );
  if (location === undefined) throw new Error('missing document');
  const values = [tenant.id, location.organization, location.document, location.user];
  await sql(
    `insert into thread (api_key_id, org_id, document_id, ext_id, creator_id, status_id, kind, created_at, updated_at,
       last_comment_id, comment_count, reaction_count, body)
     select $1, $2, $3, 't' || n, $4, 'OPEN', 1, n, n, 100, 100, 1, '{"status":{"id":"OPEN","name":"Open","type":"default"},"commentType":"manual"}'
     from generate_series(1, 1000) n`,
    values,
  );
  await sql(
    `insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, body)
     select $1, $2, t.id, n, $4, n, n, '{"from":{"userId":"writer"}}' from thread t, generate_series(1, 100) n where t.document_id = $3`,
    values,
  );
  await sql(
    `insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
     select c.id, '+1', $4, $1, $2, 1, '{"from":{"userId":"writer"}}' from comment c join thread t on t.id = c.thread_id
     where t.document_id = $3 and c.ext_id = 1`,
    values,
  );
  await sql(
    `insert into thread_person (thread_id, user_id, api_key_id, org_id, roles) select id, $4, $1, $2, 1 from thread where document_id = $3`,
    values,
  );
  return location.organization;
}

describe('the cascade of 100,000 comments', () => {
  it('removes all of them when workers are killed during it', async () => {
    const location = await aDocument(tenant);
    const organization = await loadComments(location);
    expect(await left('comment', organization)).toBe(100_000);
    const { jobId } = await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
    });
    const goesOn = async () => (await left('comment', organization)) > 0;
    expect(await killWorkers(4, goesOn)).toBeGreaterThan(0);
    await eventually(async () => {
      const { data } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
      if (data.status !== 'completed') throw new Error(JSON.stringify(data));
      return true;
    });
    for (const table of ['thread', 'comment', 'reaction', 'thread_person', 'document'])
      expect([table, await left(table, organization)]).toEqual([table, 0]);
  });
});

describe('a deletion that competes with writers of the same threads', () => {
  it('leaves no record of the user, and exact counters, when workers are killed during it', async () => {
    const location = await aDocument(tenant);
    const person = freshId('person');
    const threads = Array.from({ length: 20 }, (_, n) => `t${String(n)}`);
    const tagging = { taggedUserContacts: [user(person)], commentText: `{{${person}}}` };
    for (const annotationId of threads) {
      const commentData = [
        { from: user('ada'), ...tagging },
        ...Array.from({ length: 40 }, () => ({ from: user(person), commentText: 'Mine' })),
      ];
      await tenant.ok(at('add'), { ...location, commentAnnotations: [{ annotationId, commentData }] });
    }
    const ending = new AbortController();
    const refusals = new Set<string>();
    const writing = Promise.all(
      threads.slice(0, 6).map(async (annotationId) => {
        while (!ending.signal.aborted) {
          for (const [operation, data] of [
            ['comments/add', { annotationId, commentData: [{ from: user('ben') }] }],
            ['comments/add', { annotationId, commentData: [{ from: user(person) }] }],
            ['comments/reactions/add', { annotationId, commentId: 1, icon: '+1', from: user(person) }],
            ['comments/delete', { annotationId, userIds: ['ben'] }],
          ] as const) {
            const { body } = await tenant.call(at(operation), { ...location, ...data });
            if (body.error !== undefined) refusals.add(body.error.status);
          }
        }
      }),
    );
    const jobId = await deleteData(tenant, { userIds: [person] });
    const goesOn = async () => {
      const [row] = await installation.api.database.sql<{ ended: boolean }>(
        'select ended_at is not null as ended from user_data_deletion where public_id = $1',
        [jobId],
      );
      return row?.ended !== true;
    };
    await killWorkers(4, goesOn);
    const status = await endedDeletion(tenant, jobId);
    ending.abort();
    await writing;
    expect(status).toMatchObject({ status: 'completed', verified: true });
    // Writers after the end of the deletion named a new user.
    await endedDeletion(tenant, await deleteData(tenant, { userIds: [person] }));
    expect(
      [...refusals].filter((refusal) => !['FAILED_PRECONDITION', 'NOT_FOUND'].includes(refusal)),
    ).toEqual([]);
    const { text } = await tenant.call(at('get'), location);
    expect(text).not.toContain(person);
    for (const thread of await threadsOf(installation.api, location))
      expect(thread).toMatchObject({ countersExact: true, rolesExact: true });
  });
});

describe('APIs that are killed while callers write to the same threads', () => {
  it('leave counters and roles exact, and lose no acknowledged comment', async () => {
    const location = await aDocument(tenant);
    const threads = ['a', 'b', 'c'];
    const commentData = [{ from: user('ada') }];
    await tenant.ok(at('add'), {
      ...location,
      commentAnnotations: threads.map((annotationId) => ({ annotationId, commentData })),
    });
    const acknowledged = new Map<string, Set<number>>(threads.map((id) => [id, new Set([1])]));
    const start = async (): Promise<TestProcess> =>
      startProcess('api', installation.api.database.url, installation.temporal);
    for (let kill = 0; kill < 5; kill += 1) {
      const victim = await start();
      const calls = calledThrough(victim, tenant);
      const writing = Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const annotationId = threads[n % threads.length] ?? 'a';
          for (;;) {
            const comment = { from: user(`w${String(n)}`), taggedUserContacts: [user('ada')] };
            const request = { ...location, annotationId, commentData: [comment] };
            const added = await calls.ok<number[]>(at('comments/add'), request).catch(() => undefined);
            if (added === undefined) return;
            for (const id of added.data) acknowledged.get(annotationId)?.add(id);
            const reaction = {
              ...location,
              annotationId,
              commentId: 1,
              icon: '+1',
              from: user(`w${String(n)}`),
            };
            const reacted = await calls.ok(at('comments/reactions/add'), reaction).catch(() => undefined);
            if (reacted === undefined) return;
          }
        }),
      );
      await pause(150 + Math.random() * 300);
      await killed(victim);
      await writing;
    }
    for (const thread of await threadsOf(installation.api, location)) {
      expect(thread).toMatchObject({ countersExact: true, rolesExact: true });
      const { data } = await tenant.ok<{ commentId: number }[]>(at('comments/get'), {
        ...location,
        annotationId: thread.annotationId,
        pageSize: 1_000,
      });
      const stored = new Set(data.map(({ commentId }) => commentId));
      const lost = [...(acknowledged.get(thread.annotationId) ?? [])].filter((id) => !stored.has(id));
      expect(lost).toEqual([]);
    }
  });
});
