import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { begunDeletion, carriedOut } from '../../domain/deletion/carry-out.ts';
import { documentScene } from '../../support/document-scene.ts';
import { aProvider, saying, type ProviderBehavior, type TestProvider } from '../../support/provider.ts';
import { attemptRemaining, runRemaining } from '../../support/run-cascade.ts';
import { withListeners } from '../../support/webhooks.ts';

const scene = await documentScene({
  environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
  tenantPerTest: true,
  prepare: async (tenant, api) => withListeners(tenant, api),
});
const { api } = scene;

/** More members than a call examines. Their ids follow those of all other users. */
const members = Array.from({ length: 1_200 }, (_, n) => `m${String(n).padStart(4, '0')}`);

beforeEach(async () => {
  await scene.tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  for (const from of [0, 1_000]) {
    const users = members.slice(from, from + 1_000).map((userId) => ({ userId }));
    await scene.tenant.ok('/v2/users/add', { ...scene.document, users });
  }
});

/** Adds an annotation of Ada, and a comment of Ben that notifies. Returns the job that notifies the rest. */
async function commented(annotation: object = {}, commentData: object = {}): Promise<string | undefined> {
  await scene.tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [{ annotationId: 'a', commentData: [{ from: { userId: 'ada' } }], ...annotation }],
  });
  const { jobId } = await scene.tenant.ok('/v2/commentannotations/comments/add', {
    ...scene.document,
    annotationId: 'a',
    commentData: [
      {
        commentId: 2,
        from: { userId: 'ben' },
        commentText: 'Hello',
        triggerNotification: true,
        ...commentData,
      },
    ],
  });
  expect(jobId).toMatch(/^job_/);
  return jobId;
}

/** Comments like `commented`, and leaves all recipients to the job, also the one whom the comment tags. */
async function leftToTheJob(): Promise<string | undefined> {
  await scene.tenant.ok('/v2/workspace/permissionproviderconfig/update', { usePermissionProvider: true });
  const jobId = await commented({}, { taggedUserContacts: [{ userId: 'm1100', text: '@m' }] });
  await scene.tenant.ok('/v2/workspace/permissionproviderconfig/update', { usePermissionProvider: false });
  // Without the provider all have access.
  await api.database.sql(
    `update job set request = replace(request::text, '"permissionProvider":true', '"permissionProvider":false')::json
     where public_id = $1`,
    [jobId],
  );
  return jobId;
}

/** Ids of the users with an inbox entry. */
const recipients = async (): Promise<string[]> =>
  (
    await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from notification_recipient r join app_user u on u.id = r.user_id
       where r.api_key_id = $1 order by u.ext_id`,
      [scene.tenant.id],
    )
  ).map(({ ext_id }) => ext_id);

/** Number of events `notification.add`. */
const announcements = async (): Promise<number> =>
  (
    await api.database.sql(`select from event where api_key_id = $1 and type = 'notification.add'`, [
      scene.tenant.id,
    ])
  ).length;

/** Copies the notification, so that the deletion of its comment leaves notifications to a job. */
async function copied(): Promise<void> {
  await api.database.sql(
    `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, thread_id, comment_id,
       recipient_count, body)
     select api_key_id, org_id, document_id, 'copy-' || n, source, actor_id, n, thread_id, comment_id, 0, body
     from notification, generate_series(1, 1500) n where api_key_id = $1`,
    [scene.tenant.id],
  );
  // The copies are found first.
  await api.database.sql(
    `with moved as (delete from notification where api_key_id = $1 and ext_id not like 'copy-%' returning *)
     insert into notification overriding system value select * from moved`,
    [scene.tenant.id],
  );
}

const deletions = {
  annotation: async () => scene.tenant.ok('/v2/commentannotations/delete', scene.document),
  comment: async () =>
    scene.tenant.ok('/v2/commentannotations/comments/delete', {
      ...scene.document,
      annotationId: 'a',
      commentIds: [2],
    }),
};

describe('the job that notifies of a comment', () => {
  it.each(Object.entries(deletions))(
    'notifies no further user after its %s is deleted, while a job still removes notifications',
    async (_, remove) => {
      const jobId = await commented({ visibility: { type: 'restricted', userIds: ['m1100'] } });
      expect(await recipients()).toEqual(['ada']);
      await copied();
      await remove();
      const left = await api.database.sql(
        'select from notification where api_key_id = $1 and ext_id not like $2',
        [scene.tenant.id, 'copy-%'],
      );
      expect(left).toHaveLength(1);
      const before = await recipients();
      await runRemaining(api, jobId);
      expect(await recipients()).toEqual(before);
      expect(await announcements()).toBe(1);
    },
  );

  it('keeps a notification deleted that a user deletes before the job begins', async () => {
    const jobId = await commented({}, { taggedUserContacts: [{ userId: 'm1100', text: '@m' }] });
    // Named users, and one of the members that the call has examined.
    const deleting = ['ada', 'm0007', 'm1100'];
    for (const userId of deleting)
      await scene.tenant.ok('/v2/notifications/delete', { ...scene.document, userId });
    await runRemaining(api, jobId);
    expect(await recipients()).toEqual(members.filter((userId) => !deleting.includes(userId)));
  });

  it('keeps it deleted that a user deletes between two steps of the job', async () => {
    const jobId = await leftToTheJob();
    await runRemaining(api, jobId, async (step) => {
      if (step === 0) await scene.tenant.ok('/v2/notifications/delete', { ...scene.document, userId: 'ada' });
    });
    expect(await recipients()).toEqual(members);
  });

  it('names for the customer’s own sender no user whose data is deleted between two of its steps', async () => {
    await scene.tenant.ok('/v2/workspace/emailconfig/update', {
      useEmailService: true,
      emailServiceConfig: { type: 'custom' },
    });
    const jobId = await leftToTheJob();
    const request = { userIds: ['m1100'], organizationIds: [scene.document.organizationId] };
    await runRemaining(api, jobId, async (step) => {
      if (step === 0)
        expect(await carriedOut(api, await begunDeletion(api, scene.tenant, request))).toEqual([]);
    });
    const [event] = await api.database.sql<{ emails: object; payload: string }>(
      `select payload::json -> 'emailRecipients' as emails, payload::text from event
       where api_key_id = $1 and type = 'notification.add'`,
      [scene.tenant.id],
    );
    expect(event?.emails).toEqual([{ userId: 'ada', email: '' }]);
    expect(event?.payload).not.toContain('m1100');
  });

  it('notifies all users when the job is one of a former release', async () => {
    const jobId = await commented();
    await api.database.sql(
      `update job set request = jsonb_set(request::jsonb, '{notify,notifications,0}',
         (request::jsonb #> '{notify,notifications,0}') - 'handled' - 'from' - 'trail')::json
       where public_id = $1`,
      [jobId],
    );
    await runRemaining(api, jobId);
    expect(await recipients()).toEqual(['ada', ...members]);
  });
});

describe('a permission provider', () => {
  const opened: TestProvider[] = [];
  afterAll(async () => Promise.all(opened.map(async (provider) => provider.close())));

  const allows = saying({ hasAccess: true });

  /** A provider of the key that allows everyone, after `before`. */
  async function aSlowProvider(before: (...received: Parameters<ProviderBehavior>) => Promise<void>) {
    const provider = await aProvider();
    opened.push(provider);
    provider.behave(async (received, response) => {
      await before(received, response);
      await allows(received, response);
    });
    await scene.tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    return provider;
  }

  it('is asked about the last of two annotations with one id', async () => {
    const provider = await aSlowProvider(() => Promise.resolve());
    await scene.tenant.ok('/v2/commentannotations/add', {
      ...scene.document,
      commentAnnotations: ['eve', 'ben'].map((userId) => ({
        annotationId: 'twice',
        commentData: [{ from: { userId } }],
      })),
      verifyUserPermissions: true,
    });
    const asked = provider.received.flatMap(({ questions }) => questions.map(({ userId }) => userId));
    expect(asked).toEqual(['ben']);
  });

  it('lets the job notify every member also when two of its attempts ask at the same time', async () => {
    const bothAsk = Promise.withResolvers<void>();
    const provider = await aSlowProvider(async () => {
      if (provider.received.length === 2) bothAsk.resolve();
      await bothAsk.promise;
    });
    const jobId = await commented();
    const [one, other] = [await attemptRemaining(api, jobId), await attemptRemaining(api, jobId)];
    await Promise.all([one.next(), other.next()]);
    expect(await recipients()).toEqual(['ada']);
    for (let step = await one.next(); step.done !== true;) step = await one.next();
    expect(await recipients()).toEqual(['ada', ...members]);
    expect(await announcements()).toBe(1);
  });

  it('is asked by the job about the member who takes the place of one that leaves meanwhile', async () => {
    let removed: Promise<unknown> | undefined;
    await aSlowProvider(async ({ questions }) => {
      if (questions.some(({ userId }) => userId === 'm0500'))
        await (removed ??= scene.tenant.ok('/v2/users/delete', { ...scene.document, userIds: ['m0500'] }));
    });
    await runRemaining(api, await commented());
    expect(await recipients()).toEqual(['ada', ...members.filter((userId) => userId !== 'm0500')]);
  });
});
