import { describe, expect, it } from '@jest/globals';
import { aDocument, aTenant, freshId, withActivityLogs, type TestTenant } from '../../support/factories.ts';
import { allowing, aProvider } from '../../support/provider.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import { recordingsScene, recording, idsOf } from './recordings-scene.ts';

const scene = await recordingsScene();
const { api, tenant, add, get, refusedAdd } = scene;

describe('adding recordings', () => {
  it('returns an outcome for each by its id, and stores every member that was sent', async () => {
    const full = recording({
      annotationId: 'r1',
      mode: 'thread',
      displayName: 'Wälk',
      recordedTime: { duration: 90_000.5, display: '01:30' },
      attachments: [{ attachmentId: 1, url: 'https://files.example.com/r1.mp4', codec: 'av1' }],
      transcription: { segments: [{ text: 'Hello', deep: [null] }] },
      latestVersion: 3,
      location: { id: 7 },
      pageInfo: { title: 'Plan' },
      context: { team: 'blue' },
      createdAt: 5,
      lastUpdated: 6,
      ownMember: { kept: true },
    });
    const result = await add([full, recording({ metadata: { mine: 'dropped' }, type: 'dropped' })]);
    const generated = Object.keys(result.data).find((id) => id !== 'r1') ?? '';
    expect(generated).toMatch(/^rec_/);
    expect(result).toEqual({
      status: 'success',
      message: 'Recording(s) added successfully.',
      data: {
        r1: { success: true, id: 'r1', message: 'Added Successfully' },
        [generated]: { success: true, id: generated, message: 'Added Successfully' },
      },
      failedCount: 0,
    });
    const metadata = { apiKey: tenant.apiKey, ...scene.document };
    expect(await get({ recordingIds: ['r1'] })).toEqual([{ ...full, type: 'recorder', metadata }]);
    expect(await get({ recordingIds: [generated] })).toEqual([
      {
        ...recording({ mode: 'floating', latestVersion: 1, type: 'recorder', metadata }),
        annotationId: generated,
        createdAt: expect.any(Number),
        lastUpdated: expect.any(Number),
      },
    ]);
  });

  it('overwrites an existing id, and keeps its creation time unless another is sent', async () => {
    await add([
      recording({ annotationId: 'r', createdAt: 5, lastUpdated: 5, displayName: 'old', context: {} }),
    ]);
    await add([recording({ annotationId: 'r', displayName: 'new' })]);
    const [overwritten] = await get();
    expect(overwritten).toMatchObject({ displayName: 'new', createdAt: 5 });
    expect(overwritten).not.toHaveProperty('context');
    expect(overwritten?.lastUpdated).toBeGreaterThan(1_700_000_000_000);
    await add([recording({ annotationId: 'r', displayName: 'new', createdAt: 9, lastUpdated: 8 })]);
    expect(await get()).toMatchObject([{ createdAt: 9, lastUpdated: 9 }]);
  });

  it('does not change an identical recording with members in any order', async () => {
    await add([recording({ annotationId: 'r', context: { a: 1, b: { c: 2, d: 3 } } })]);
    const before = await get();
    await add([{ context: { b: { d: 3, c: 2 }, a: 1 }, ...recording(), annotationId: 'r' }]);
    expect(await get()).toEqual(before);
  });

  it('stores one id separately in two documents', async () => {
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([recording({ annotationId: 'r', displayName: 'here' })]);
    await add([recording({ annotationId: 'r', displayName: 'there' })], other);
    expect(await get({ documentId: scene.document.documentId })).toMatchObject([{ displayName: 'here' }]);
    expect(await get({ recordingIds: ['r'] })).toMatchObject([
      { displayName: 'there' },
      { displayName: 'here' },
    ]);
  });

  it('stores the last of two recordings with one id', async () => {
    await add([recording({ annotationId: 'r', displayName: 'first' }), recording({ annotationId: 'r' })]);
    expect((await get())[0]).not.toHaveProperty('displayName');
  });

  it('counts recordings with one id once', async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => `r-${String(at)}`);
    const { data } = await add([...ids, 'r-0'].map((annotationId) => recording({ annotationId })));
    expect(Object.keys(data)).toEqual(ids);
  });

  it('creates missing resources only with their flags', async () => {
    const data = { organizationId: freshId('organization'), documentId: 'd', recordings: [recording()] };
    const path = '/v2/recordings/add';
    expect((await tenant.refused(path, data)).message).toContain('send createOrganization: true.');
    const flags = { createOrganization: true, createDocument: true };
    await tenant.ok(path, { ...data, ...flags, verifyUserPermissions: true });
  });

  it.each([
    [{ recordingType: 'film' }, 'recordings[0].recordingType must be one of: audio, video, screen.'],
    [{ mode: 'tile' }, 'recordings[0].mode must be one of: floating, thread.'],
    [{ from: {} }, 'recordings[0].from.userId is required.'],
    [{ attachments: [] }, 'recordings[0].attachments must hold 1 to 50 items, not 0.'],
    [
      { attachments: Array.from({ length: 51 }, () => ({})) },
      'recordings[0].attachments must hold 1 to 50 items, not 51.',
    ],
    [{ latestVersion: 1.5 }, 'recordings[0].latestVersion must be an integer from 1 to 9007199254740991.'],
    [{ transcription: [] }, 'recordings[0].transcription must be an object.'],
    [{ createdAt: Date.now() + 172_800_000 }, 'recordings[0].createdAt must be at most one day ahead.'],
    [{ annotationId: 'x'.repeat(1_001) }, 'recordings[0].annotationId must be at most 1000 bytes.'],
    [{ context: { text: 'x'.repeat(262_144) } }, 'recordings[0] must be at most 256 KiB.'],
  ])('refuses a recording that breaks a rule: %#', async (members, message) => {
    const refusal = await refusedAdd(recording(members));
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', message]);
    expect(await get()).toEqual([]);
  });

  it('accepts values at each limit', async () => {
    const base = JSON.stringify(recording({ mode: 'floating', latestVersion: 1, context: { text: '' } }));
    const fill = 'x'.repeat(262_144 - base.length);
    await add([
      recording({ context: { text: fill } }),
      recording({ annotationId: 'x'.repeat(1_000), attachments: Array.from({ length: 50 }, () => ({})) }),
    ]);
    expect(await get()).toHaveLength(2);
  });

  it('refuses more than 1,000 distinct users per call, and accepts 1,000', async () => {
    const naming = (count: number): object =>
      recording({ context: { by: Array.from({ length: count }, (_, n) => ({ userId: `u${String(n)}` })) } });
    expect((await refusedAdd(naming(1_000))).message).toBe(
      'recordings must name at most 1000 different users, not 1001.',
    );
    await add([naming(999)]);
  });

  it('refuses a recording that names a fenced user', async () => {
    const userId = freshId('user');
    await add([recording({ annotationId: 'r', from: { userId } })]);
    const [job] = await api.database.sql<{ id: string }>(
      `insert into job (api_key_id, public_id, kind) values ($1, $2, 2) returning id`,
      [tenant.id, freshId('job')],
    );
    await api.database.sql(
      `insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select $1, id, ext_id, $2, now() from app_user where ext_id = $3`,
      [job?.id, tenant.id, userId],
    );
    const refusal = await refusedAdd(recording({ context: { userId } }));
    expect([refusal.message, refusal.details['userIds']]).toEqual([
      'User data deletion is in progress.',
      [userId],
    ]);
  });

  it('serializes concurrent calls with one new id', async () => {
    const calls = Array.from({ length: 12 }, async (_, n) =>
      add([recording({ annotationId: 'contested', displayName: String(n) })]),
    );
    await Promise.all(calls);
    expect(idsOf(await get())).toEqual(['contested']);
  });
});

describe('recordings of authors without access', () => {
  const denied = {
    success: false,
    message: 'User does not have access to document',
    code: 'permission-denied',
  };

  it('fail individually', async () => {
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId: scene.document.organizationId,
      documentIds: [scene.document.documentId],
      accessType: 'restricted',
    });
    await tenant.ok('/v2/users/add', { ...scene.document, users: [{ userId: 'ada' }] });
    const userId = freshId('user');
    const sent = [recording({ annotationId: 'a' }), recording({ annotationId: 'b', from: { userId } })];
    const result = await add(sent, { verifyUserPermissions: true });
    expect(result.failedCount).toBe(1);
    expect(result.data['b']).toEqual({ id: 'b', ...denied });
    expect(idsOf(await get())).toEqual(['a']);
    expect(await api.database.sql('select from app_user where ext_id = $1', [userId])).toEqual([]);
    await add(sent);
    expect(await get()).toHaveLength(2);
  });

  it('are determined by the key’s permission provider', async () => {
    const provider = await aProvider();
    const owner = await aTenant(api);
    const document = await aDocument(owner);
    await owner.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    provider.behave(allowing('ada'));
    const result = await owner.ok<Record<string, object>>('/v2/recordings/add', {
      ...document,
      recordings: [
        recording({ annotationId: 'a' }),
        recording({ annotationId: 'b', from: { userId: 'eve' } }),
      ],
      verifyUserPermissions: true,
    });
    expect(result.data).toMatchObject({ a: { success: true }, b: denied });
    await provider.close();
  });
});

describe('a recording that triggers activities', () => {
  const eventsOf = async (owner: TestTenant) =>
    api.database.sql<{ type: string; payload: Record<string, unknown>; users: string[] }>(
      `select e.type, e.payload, array(
         select u.ext_id from event_user x join app_user u on u.id = x.user_id where x.event_id = e.id order by 1) as users
       from event e where e.api_key_id = $1 order by e.id`,
      [owner.id],
    );

  it('emits recorder.done and writes an activity log, but neither without a change or a trigger', async () => {
    const owner = await withActivityLogs(await aTenant(api));
    await owner.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await anEndpoint(api, owner, 'http://127.0.0.1/');
    const document = await aDocument(owner);
    const send = async (members: object, more: object = { triggerActivities: true }) =>
      owner.ok('/v2/recordings/add', {
        ...document,
        recordings: [recording({ annotationId: 'r', ...members })],
        ...more,
      });
    await send({ context: { by: { userId: 'bob' } } });
    await send({ context: { by: { userId: 'bob' } } });
    await send({ displayName: 'silent' }, {});
    const events = await eventsOf(owner);
    expect(events).toMatchObject([{ type: 'recorder.done', users: ['ada', 'bob'] }]);
    const { data } = await owner.ok<{ id: string }[]>('/v2/activities/get', {
      ...document,
      featureTypes: ['recorder'],
    });
    expect(data).toMatchObject([
      {
        actionType: 'recorder.done',
        actionUser: { userId: 'ada', name: 'Ada' },
        targetEntityId: 'r',
        entityData: { annotationId: 'r', type: 'recorder', recordingType: 'screen' },
      },
    ]);
    expect(events[0]?.payload).toEqual({ ...data[0], metadata: document });
  });

  it('emits without an activity log while the service or its trigger is off', async () => {
    const owner = await aTenant(api);
    await owner.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await anEndpoint(api, owner, 'http://127.0.0.1/');
    const document = await aDocument(owner);
    const data = { ...document, recordings: [recording()], triggerActivities: true };
    await owner.ok('/v2/recordings/add', data);
    await owner.ok('/v2/workspace/activityconfig/update', {
      activityServiceConfig: { isEnabled: true, triggers: { 'recorder.done': false } },
    });
    await owner.ok('/v2/recordings/add', data);
    expect(await eventsOf(owner)).toHaveLength(2);
    expect((await owner.ok<unknown[]>('/v2/activities/get', document)).data).toEqual([]);
  });
});
