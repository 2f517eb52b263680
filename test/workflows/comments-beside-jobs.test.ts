import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { threadsOf } from '../api/comments/thread-rows.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  aFolder,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { itInFull } from '../support/tier.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { deleteData, endedDeletion } from './deletions.ts';
import { anInstallation, ended as migrated, migrate, type Installation } from './migrations.ts';

const environment = { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };

let installation: Installation;
let tenant: TestTenant;

beforeAll(async () => {
  installation = await anInstallation({ environment });
  await installation.startWorker(environment);
  tenant = await withActivityLogs(await aTenant(installation.api));
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
});
afterAll(() => installation.close());

const at = (operation: string): string => `/v2/commentannotations/${operation}`;
const user = (userId: string): { readonly userId: string } => ({ userId });

const add = async (location: TestDocument, annotationId: string, ...commentData: readonly object[]) =>
  tenant.ok(at('add'), { ...location, commentAnnotations: [{ annotationId, commentData }] });

const completed = async (jobId: string | undefined, by = tenant): Promise<void> => {
  await eventually(async () => {
    const { data } = await by.ok<{ status: string }>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(JSON.stringify(data));
    return true;
  });
};

describe('annotations and comments that are added while their document migrates', () => {
  it('are all under its new id, with exact counts', async () => {
    const location = await aDocument(tenant);
    const newDocumentId = freshId('moved');
    await add(location, 'first', { from: user('ada') });
    const written: string[] = [];
    let comments = 1;
    const ending = new AbortController();
    /** Writes until the end, under the new id after the old one is refused. */
    const writer = async (name: string): Promise<void> => {
      let target = location;
      for (let round = 0; !ending.signal.aborted || target === location; round += 1) {
        const annotationId = `${name}-${String(round)}`;
        const comment = [
          at('comments/add'),
          { annotationId: 'first', commentData: [{ from: user(name) }] },
        ] as const;
        const thread = [
          at('add'),
          { commentAnnotations: [{ annotationId, commentData: [{ from: user(name) }] }] },
        ] as const;
        // On a slow machine, the migration may take longer than a thread can grow: to 1,000 comments.
        const growing = comments < 900;
        for (const [path, data] of growing ? [comment, thread] : [thread]) {
          for (;;) {
            const { body } = await tenant.call(path, { ...target, ...data });
            if (body.error === undefined) break;
            expect(body.error).toMatchObject({ status: 'NOT_FOUND', details: { movedTo: newDocumentId } });
            target = { ...location, documentId: newDocumentId };
          }
        }
        written.push(annotationId);
        if (growing) comments += 1;
      }
    };
    const writing = Promise.all(['ben', 'cleo', 'dora'].map(writer));
    const status = await migrated(tenant, location, await migrate(tenant, location, newDocumentId));
    ending.abort();
    await writing;
    expect(status).toMatchObject({ status: 'completed', verified: true });
    expect(status.counts?.['commentAnnotations']).toBeGreaterThanOrEqual(1);
    const moved = { ...location, documentId: newDocumentId };
    const threads = await threadsOf(installation.api, moved);
    expect(threads.map(({ annotationId }) => annotationId)).toEqual([...written, 'first'].toSorted());
    expect(threads.find(({ annotationId }) => annotationId === 'first')).toMatchObject({
      comments,
      countersExact: true,
      rolesExact: true,
    });
  });
});

describe('writes beside the deletion of their author', () => {
  itInFull('are refused or deleted with the author’s data, and no call fails otherwise', async () => {
    const location = await aDocument(tenant);
    const person = freshId('person');
    const named = { from: user('ada'), commentText: `{{${person}}}`, taggedUserContacts: [user(person)] };
    const threads = Array.from({ length: 4 }, (_, n) => `t${String(n)}`);
    for (const annotationId of threads) await add(location, annotationId, named, { from: user(person) });
    const recording = { annotationId: 'r', from: user(person), recordingType: 'audio' };
    await tenant.ok('/v2/recordings/add', { ...location, recordings: [recording] });
    const ending = new AbortController();
    const refusals = new Set<string>();
    const call = async (path: string, data: object): Promise<void> => {
      const { body } = await tenant.call(path, { ...location, ...data });
      if (body.error !== undefined) refusals.add(body.error.status);
    };
    const writing = Promise.all(
      threads.map(async (annotationId) => {
        for (let round = 0; !ending.signal.aborted; round += 1) {
          const context = { round };
          await call('/v2/recordings/add', { recordings: [{ ...recording, context }] });
          await call(at('comments/update'), { annotationId, commentIds: [2], updatedData: { context } });
          await call(at('comments/update'), { annotationId, commentIds: [1], updatedData: { context } });
          await call(at('comments/add'), { annotationId, commentData: [{ from: user(person) }] });
          await call(at('update'), { updatedData: { context, assignedTo: user(person) } });
        }
      }),
    );
    const status = await endedDeletion(tenant, await deleteData(tenant, { userIds: [person] }));
    ending.abort();
    await writing;
    expect(status).toMatchObject({ status: 'completed', verified: true });
    // A writer after the end of the deletion names a new user, which another deletion removes.
    const again = await endedDeletion(tenant, await deleteData(tenant, { userIds: [person] }));
    expect(again).toMatchObject({ status: 'completed', verified: true });
    expect(
      [...refusals].filter((refusal) => !['FAILED_PRECONDITION', 'NOT_FOUND'].includes(refusal)),
    ).toEqual([]);
    for (const thread of await threadsOf(installation.api, location))
      expect(thread).toMatchObject({ comments: 1, countersExact: true, rolesExact: true });
    const { text } = await tenant.call(at('get'), location);
    expect(text).not.toContain(person);
  });
});

describe('notifications of comments', () => {
  const rowsOf = async ({ organizationId }: TestDocument): Promise<number[]> => {
    const [found] = await installation.api.database.sql<{ notifications: number; recipients: number }>(
      `select (select count(*)::int from notification where org_id = o.id) as notifications,
         (select count(*)::int from notification_recipient where org_id = o.id) as recipients
       from organization o where o.ext_id = $1`,
      [organizationId],
    );
    return [found?.notifications ?? 0, found?.recipients ?? 0];
  };

  /** Two annotations of ada's that notify ben and cleo, in a document of a folder. */
  async function notifiedDocument(): Promise<TestDocument & { readonly folderId: string }> {
    const folder = await aFolder(tenant);
    const location = await aDocument(tenant, { ...folder });
    await tenant.ok('/v2/users/add', { ...location, users: [user('ben'), user('cleo')] });
    const comment = { from: user('ada'), commentText: 'Look', triggerNotification: true };
    for (const annotationId of ['one', 'two']) await add(location, annotationId, comment);
    expect(await rowsOf(location)).toEqual([2, 4]);
    return { ...location, folderId: folder.folderId };
  }

  it.each(['documents', 'folders'])('are deleted with their %s', async (what) => {
    const { organizationId, documentId, folderId } = await notifiedDocument();
    const { jobId } = await tenant.ok(`/v2/organizations/${what}/delete`, {
      organizationId,
      ...(what === 'documents' ? { documentIds: [documentId] } : { folderId }),
    });
    await completed(jobId);
    expect(await rowsOf({ organizationId, documentId })).toEqual([0, 0]);
  });

  it('are deleted with the organization', async () => {
    const { organizationId } = await notifiedDocument();
    const [{ id } = { id: '' }] = await installation.api.database.sql<{ id: string }>(
      'select id from organization where ext_id = $1',
      [organizationId],
    );
    const { jobId } = await tenant.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    await completed(jobId);
    for (const table of ['notification', 'notification_recipient', 'thread', 'comment'])
      expect(await installation.api.database.sql(`select from ${table} where org_id = $1`, [id])).toEqual([]);
  });

  it('are deleted with the data of their author, and lose a recipient with the data of the recipient', async () => {
    const location = await notifiedDocument();
    const { organizationId } = location;
    const erase = async (userId: string) =>
      endedDeletion(
        tenant,
        await deleteData(tenant, { userIds: [userId], organizationIds: [organizationId] }),
      );
    expect(await erase('ben')).toMatchObject({ status: 'completed', verified: true });
    expect(await rowsOf(location)).toEqual([2, 2]);
    expect(await erase('ada')).toMatchObject({
      status: 'completed',
      verified: true,
      counts: { commentAnnotations: 2, comments: 2 },
    });
    expect(await rowsOf(location)).toEqual([0, 0]);
  });
});

const annotations = 90;
/** Annotations whose bodies exceed the 16 MiB that a call reads at once. */
const textLength = 200_000;
const members = ['ben', 'cid', 'dan'];

const count = async (tenant: TestTenant, text: string) =>
  installation.api.database.sql<Record<string, number | string>>(text, [tenant.id]);

describe('an update of annotations of more than 16 MiB', () => {
  itInFull('changes all of them, and its job notifies each member of each change once', async () => {
    const tenant = await aTenant(installation.api);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await anEndpoint(installation.api, tenant, 'http://127.0.0.1/');
    const location = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { ...location, users: members.map((userId) => ({ userId })) });
    const actions = [{ id: 'large', metadata: { text: 'x'.repeat(textLength) } }];
    for (const from of [0, annotations / 2])
      await tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: Array.from({ length: annotations / 2 }, (_, at) => ({
          annotationId: `a${String(from + at)}`,
          actions,
          commentData: [{ from: { userId: 'ada' } }],
        })),
      });
    const { jobId } = await tenant.ok('/v2/commentannotations/update', {
      ...location,
      updatedData: { status: { id: 'DONE', name: 'Done', type: 'terminal' } },
      actionUser: { userId: 'eve' },
      triggerNotification: true,
    });
    expect(jobId).toEqual(expect.any(String));
    await completed(jobId, tenant);
    const statuses = await count(
      tenant,
      'select status_id, count(*)::int as threads from thread where api_key_id = $1 group by 1',
    );
    expect(statuses).toEqual([{ status_id: 'DONE', threads: annotations }]);
    const notified = await count(
      tenant,
      `select u.ext_id, count(*)::int as notifications from notification_recipient r join app_user u on u.id = r.user_id
       where r.api_key_id = $1 group by 1 order by 1`,
    );
    expect(notified).toEqual(['ada', ...members].map((ext_id) => ({ ext_id, notifications: annotations })));
    const events = await count(
      tenant,
      'select type, count(*)::int as events from event where api_key_id = $1 group by 1 order by 1',
    );
    expect(events).toEqual([
      { type: 'comment_annotation.status_change', events: annotations },
      { type: 'notification.add', events: annotations },
    ]);
  });
});
