import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { documentScene } from '../support/document-scene.ts';
import { freshId, withActivityLogs } from '../support/factories.ts';

const scene = await documentScene({ tenantPerTest: true, prepare: withActivityLogs });

interface Call {
  readonly path: string;
  readonly member: string;
  readonly data: (named: readonly object[]) => object;
}

const calls: readonly Call[] = [
  {
    path: '/v2/activities/update',
    member: 'data.activities',
    data: (named) => ({
      organizationId: scene.document.organizationId,
      activities: [{ id: 'log', entityData: named }],
    }),
  },
  {
    path: '/v2/agents/execution/add',
    member: 'data',
    data: (named) => ({ agentId: 'a', results: named }),
  },
  {
    path: '/v2/agents/execution/update',
    member: 'data',
    data: (named) => ({ executionId: 'run', results: named }),
  },
  {
    path: '/v2/organizations/add',
    member: 'data',
    data: (named) => ({ organizations: twoNaming('organizationId', named) }),
  },
];

/** Two records with metadata that names people: one holds 16 KiB of metadata. */
const twoNaming = (id: string, named: readonly object[]): object[] => [
  { [id]: freshId('r'), named: named.slice(0, 500) },
  { [id]: freshId('r'), named: named.slice(500) },
];

/** Calls that find neither an organization nor a record of theirs. */
const callsOfNone: readonly Call[] = [
  {
    path: '/v2/notifications/update',
    member: 'data.notifications',
    data: (named) => ({ organizationId: 'none', notifications: [{ id: 'none', context: { named } }] }),
  },
  {
    path: '/v2/activities/update',
    member: 'data.activities',
    data: (named) => ({ organizationId: 'none', activities: [{ id: 'none', entityData: named }] }),
  },
  {
    path: '/v2/agents/execution/update',
    member: 'data',
    data: (named) => ({ executionId: 'none', results: named }),
  },
  ...(['documents', 'folders'] as const).flatMap((kind) =>
    (['add', 'update'] as const).map((verb) => ({
      path: `/v2/organizations/${kind}/${verb}`,
      member: 'data',
      data: (named: readonly object[]) => ({
        organizationId: 'none',
        [kind]: twoNaming(kind === 'documents' ? 'documentId' : 'folderId', named),
      }),
    })),
  ),
];

const people = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ userId: `named-${String(index)}` }));

const bareUsers = async (): Promise<number> =>
  (
    await scene.api.database.sql(`select 1 from app_user where api_key_id = $1 and ext_id like 'named-%'`, [
      scene.tenant.id,
    ])
  ).length;

async function anOrganizationWith(users: readonly object[]): Promise<string> {
  const organizationId = freshId('organization');
  await scene.tenant.ok('/v2/users/add', { organizationId, users, createOrganization: true });
  return organizationId;
}

describe('one call', () => {
  it.each(calls)('names at most 1,000 users in free JSON: $path', async ({ path, member, data }) => {
    const activity = { id: 'log', featureType: 'custom', targetEntityId: 't', actionType: 'any' };
    await scene.tenant.ok('/v2/activities/add', {
      ...scene.document,
      activities: [{ ...activity, actionUser: { userId: 'u1' } }],
    });
    await scene.tenant.ok('/v2/agents/execution/add', { agentId: 'a', executionId: 'run' });
    const refusal = await scene.tenant.refused(path, data(people(1_001)));
    expect([refusal.status, Object.keys(issuesOf(refusal))]).toEqual(['INVALID_ARGUMENT', [member]]);
    expect(refusal.message).toMatch(/ must name at most 1000 different users, not 1001\.$/);
    expect(await bareUsers()).toBe(0);
    await scene.tenant.ok(path, data(people(1_000)));
    expect(await bareUsers()).toBe(1_000);
  });

  it.each(callsOfNone)(
    'is refused for more before anything is looked up: $path',
    async ({ path, member, data }) => {
      const refusal = await scene.tenant.refused(path, data(people(1_001)));
      expect([refusal.status, Object.keys(issuesOf(refusal))]).toEqual(['INVALID_ARGUMENT', [member]]);
      expect((await scene.tenant.refused(path, data(people(1_000)))).status).toBe('NOT_FOUND');
    },
  );

  it('counts users whose records are not written', async () => {
    const { organizationId } = scene.document;
    const activities = [{ id: 'none', entityData: people(1_001) }];
    const refusal = await scene.tenant.refused('/v2/activities/update', { organizationId, activities });
    expect(refusal.status).toBe('INVALID_ARGUMENT');
    const folders = twoNaming('folderId', people(1_001)).map((folder) => ({
      ...folder,
      parentFolderId: 'none',
    }));
    for (const verb of ['add', 'update']) {
      const path = `/v2/organizations/folders/${verb}`;
      expect((await scene.tenant.refused(path, { organizationId, folders })).status).toBe('INVALID_ARGUMENT');
    }
  });

  it.each(['add', 'update'] as const)('names at most 1,000 users: /v2/users/%s', async (verb) => {
    const path = `/v2/users/${verb}`;
    const users = people(500).map((user, n) => ({ ...user, manager: { userId: `manager-${String(n)}` } }));
    const organizationId = await anOrganizationWith(people(501));
    const more = [...users, { userId: 'named-500' }];
    const refusal = await scene.tenant.refused(path, { organizationId, users: more });
    expect(issuesOf(refusal)).toEqual({ data: 'data must name at most 1000 different users, not 1001.' });
    const missing = await scene.tenant.refused(path, { organizationId: 'none', users: more });
    expect(missing.status).toBe('INVALID_ARGUMENT');
    expect(await scene.tenant.ok(path, { organizationId, users })).toMatchObject({ failedCount: 0 });
  });
});
