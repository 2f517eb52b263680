import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  anOrganization,
  aTenant,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { allowing, aProvider, judging, type TestProvider } from '../support/provider.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { anInstallation, type Installation } from './migrations.ts';

const environment = { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };

let installation: Installation;
let provider: TestProvider;

beforeAll(async () => {
  installation = await anInstallation({ environment });
  provider = await aProvider();
});
afterAll(async () => {
  await installation.close();
  await provider.close();
});

async function aThread(tenant: TestTenant, members: readonly string[]) {
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await anEndpoint(installation.api, tenant, 'http://127.0.0.1/');
  const location = await aDocument(tenant);
  for (let from = 0; from < members.length; from += 1_000) {
    const users = members.slice(from, from + 1_000).map((userId) => ({ userId }));
    await tenant.ok('/v2/users/add', { ...location, users });
  }
  const commentData = [{ from: { userId: 'ada' }, commentText: 'First' }];
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId: 't', commentData }],
  });
  return location;
}

const addTo = async (tenant: TestTenant, location: object) => {
  const commentData = [{ from: { userId: 'ben' }, commentText: 'Second', triggerNotification: true }];
  return tenant.ok('/v2/commentannotations/comments/add', { ...location, annotationId: 't', commentData });
};

const completed = async (tenant: TestTenant, jobId: string | undefined) =>
  eventually(async () => {
    const { data } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(`It is ${JSON.stringify(data)}`);
  });

const recipientsOf = async (tenant: TestTenant) =>
  (
    await installation.api.database.sql<{ ext_id: string }>(
      `select u.ext_id from notification_recipient r join app_user u on u.id = r.user_id where r.api_key_id = $1 order by 1`,
      [tenant.id],
    )
  ).map(({ ext_id }) => ext_id);

const eventTypesOf = async (tenant: TestTenant) =>
  (
    await installation.api.database.sql<{ type: string }>(
      'select type from event where api_key_id = $1 order by id',
      [tenant.id],
    )
  ).map(({ type }) => type);

describe('the job that notifies of a comment', () => {
  it('notifies every member once, also when its worker is killed and another continues', async () => {
    const tenant = await aTenant(installation.api);
    const members = Array.from({ length: 3_500 }, (_, n) => `m${String(n)}`);
    const location = await aThread(tenant, members);
    // The call has committed, and no worker has begun its job.
    const { jobId } = await addTo(tenant, location);
    const notified = (await recipientsOf(tenant)).length;
    // The job waits for the last member after the others.
    const holder = await installation.api.database.connect();
    await holder.query('begin');
    await holder.query(`select from app_user where api_key_id = $1 and ext_id = 'm3499' for update`, [
      tenant.id,
    ]);
    const killed = await installation.startWorker(environment);
    await eventually(async () => (await recipientsOf(tenant)).length > notified);
    await killed.kill();
    await holder.query('commit');
    expect((await recipientsOf(tenant)).length).toBeLessThan(members.length);
    await installation.startWorker(environment);
    await completed(tenant, jobId);
    expect(await recipientsOf(tenant)).toEqual(['ada', ...members].toSorted());
    const [{ recipient_count: count } = { recipient_count: 0 }] = await installation.api.database.sql<{
      recipient_count: number;
    }>('select recipient_count from notification where api_key_id = $1', [tenant.id]);
    expect(count).toBe(3_501);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add', 'notification.add']);
  });

  it('calls the permission provider without delaying the comment', async () => {
    const tenant = await aTenant(installation.api);
    const location = await aThread(tenant, ['cid', 'dan']);
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    provider.behave(allowing('ada', 'dan'));
    const before = provider.received.length;
    const { jobId } = await addTo(tenant, location);
    expect(provider.received.length).toBe(before);
    await completed(tenant, jobId);
    expect(await recipientsOf(tenant)).toEqual(['ada', 'dan']);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add', 'notification.add']);
  });

  it('keeps and announces a notification of users who want only the e-mails that the customer sends', async () => {
    const tenant = await aTenant(installation.api);
    const location = await aThread(tenant, ['cid']);
    await tenant.ok('/v2/workspace/emailconfig/update', {
      useEmailService: true,
      emailServiceConfig: { type: 'custom' },
    });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      userIds: ['ada', 'cid'],
      config: { inbox: 'NONE', email: 'ALL' },
    });
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    provider.behave(allowing('ada', 'cid'));
    const { jobId } = await addTo(tenant, location);
    await completed(tenant, jobId);
    expect(await recipientsOf(tenant)).toEqual([]);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add', 'notification.add']);
    const [event] = await installation.api.database.sql<{ payload: object }>(
      `select payload from event where api_key_id = $1 and type = 'notification.add'`,
      [tenant.id],
    );
    expect(event?.payload).toMatchObject({
      notifyUsersCount: 0,
      emailRecipients: [
        { userId: 'ada', email: '' },
        { userId: 'cid', email: '' },
      ],
    });
  });

  it('deletes a notification without a recipient', async () => {
    const tenant = await aTenant(installation.api);
    const location = await aThread(tenant, ['cid']);
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', { usePermissionProvider: true });
    const { jobId } = await addTo(tenant, location);
    await completed(tenant, jobId);
    const rows = await installation.api.database.sql('select from notification where api_key_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([]);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add']);
  });
});

/** Every kind of reader with the memberships of each. */
const readers = {
  creator: { document: true, organization: false, otherOrganization: false },
  'member of the document alone': { document: true, organization: false, otherOrganization: false },
  'member of document and organization': { document: true, organization: true, otherOrganization: false },
  'member of document and another organization': {
    document: true,
    organization: false,
    otherOrganization: true,
  },
  'listed member of the document': { document: true, organization: false, otherOrganization: false },
  'listed stranger': { document: false, organization: false, otherOrganization: false },
  'member of another organization alone': { document: false, organization: false, otherOrganization: true },
} as const;
type Reader = keyof typeof readers;
const names = Object.keys(readers) as Reader[];
const idOf = (reader: Reader): string => reader.replaceAll(' ', '-');
const listed: readonly Reader[] = ['listed member of the document', 'listed stranger'];

interface Scene {
  readonly tenant: TestTenant;
  readonly location: TestDocument;
  readonly other: string;
}

async function aScene(): Promise<Scene> {
  const tenant = await aTenant(installation.api);
  await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  const location = await aDocument(tenant);
  const other = await anOrganization(tenant);
  const { organizationId } = location;
  for (const [data, level] of [
    [location, 'document'],
    [{ organizationId }, 'organization'],
    [{ organizationId: other }, 'otherOrganization'],
  ] as const) {
    const users = names
      .filter((reader) => readers[reader][level])
      .map((reader) => ({ userId: idOf(reader) }));
    await tenant.ok('/v2/users/add', { ...data, users });
  }
  return { tenant, location, other };
}

/** Visibilities with the readers who may see annotations of each, regardless of access to the document. */
const visibilities: readonly (readonly [
  name: string,
  of: (scene: Scene) => object,
  maySee: (reader: Reader) => boolean,
])[] = [
  ['public', () => ({ type: 'public' }), () => true],
  ['organizationPrivate', () => ({ type: 'organizationPrivate' }), (reader) => readers[reader].organization],
  [
    'organizationPrivate of another organization',
    ({ other }) => ({ type: 'organizationPrivate', organizationId: other }),
    (reader) => readers[reader].otherOrganization,
  ],
  [
    'organizationPrivate of an unknown organization',
    () => ({ type: 'organizationPrivate', organizationIds: ['nowhere'] }),
    () => false,
  ],
  [
    'restricted',
    () => ({ type: 'restricted', userIds: [...listed.map(idOf), 'nobody-yet'] }),
    (reader) => listed.includes(reader),
  ],
];

/** Adds an annotation of the creator, and a comment of another user that notifies. Returns the notified users and those who count it. */
async function readersOf({ tenant, location }: Scene, annotationId: string, visibility: object) {
  const creator = { userId: idOf('creator') };
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, visibility, commentData: [{ from: creator }] }],
  });
  const { jobId } = await tenant.ok('/v2/commentannotations/comments/add', {
    ...location,
    annotationId,
    commentData: [{ from: { userId: 'writer' }, commentText: 'Hello', triggerNotification: true }],
  });
  if (jobId !== undefined) await completed(tenant, jobId);
  const notified = await installation.api.database.sql<{ ext_id: string }>(
    `select u.ext_id from notification_recipient r join app_user u on u.id = r.user_id
       join notification n on n.audience = r.audience_id join thread t on t.id = n.thread_id
     where t.ext_id = $1 and t.api_key_id = $2 order by 1`,
    [annotationId, tenant.id],
  );
  const counted: string[] = [];
  for (const reader of names) {
    const { data } = await tenant.ok<Record<string, { total: number }>>('/v2/commentannotations/count/get', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      userId: idOf(reader),
    });
    if (data[location.documentId]?.total === 1) counted.push(idOf(reader));
  }
  await tenant.ok('/v2/commentannotations/delete', { ...location, annotationIds: [annotationId] });
  return { jobId, notified: notified.map(({ ext_id }) => ext_id), counted };
}

const seenBy = (maySee: (reader: Reader) => boolean): Reader[] =>
  names.filter((reader) => reader === 'creator' || maySee(reader));

describe('visibility', () => {
  it('limits counts and notifications for every kind of reader', async () => {
    const scene = await aScene();
    for (const [at, [name, visibility, maySee]] of visibilities.entries()) {
      const found = await readersOf(scene, `a${String(at)}`, visibility(scene));
      const seen = seenBy(maySee);
      expect({ name, ...found }).toEqual({
        name,
        jobId: undefined,
        counted: seen.map(idOf),
        notified: seen
          .filter((reader) => readers[reader].document || readers[reader].organization)
          .map(idOf)
          .toSorted(),
      });
    }
  });

  it('limits them also when a permission provider decides on access', async () => {
    const scene = await aScene();
    await scene.tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    const denied: Reader = 'member of document and organization';
    provider.behave(judging((userId) => ({ hasAccess: userId !== idOf(denied) })));
    for (const [at, [name, visibility, maySee]] of visibilities.entries()) {
      const found = await readersOf(scene, `p${String(at)}`, visibility(scene));
      const seen = seenBy(maySee);
      expect({ name, ...found }).toEqual({
        name,
        jobId: expect.any(String) as unknown,
        counted: seen.map(idOf),
        notified: seen
          .filter((reader) => readers[reader].document && reader !== denied)
          .map(idOf)
          .toSorted(),
      });
    }
  });
});
