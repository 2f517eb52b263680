import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeDocuments, closeFolders, closeOrganizations } from '../../domain/cascade/close-for-deletion.ts';
import { lockDocument } from '../../domain/documents/resolve-document.ts';
import { DomainError } from '../../domain/errors.ts';
import { lockFolder } from '../../domain/folders/resolve-folder.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant, anOrganization, freshId, withActivityLogs, type TestTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

let tenant: TestTenant;
let organizationId: string;
const folderId = 'plans';
const documentId = 'plan';

beforeEach(async () => {
  tenant = await withActivityLogs(await aTenant(api));
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  organizationId = await anOrganization(tenant);
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId }, { folderId: 'area' }],
  });
  await tenant.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada' }] });
});

type Lock = (em: EntityManager, tenant: Tenant) => Promise<unknown>;

const organizationOf = async (em: EntityManager, caller: Tenant) =>
  lockOrganization(em, caller, organizationId);

interface Deletable {
  readonly lock: Lock;
  /** The first step of the deletion. */
  readonly prepare: (em: EntityManager, tenant: Tenant) => Promise<unknown>;
  readonly remove: () => readonly [path: string, data: object];
}

const resources: Readonly<Record<string, Deletable>> = {
  organization: {
    lock: organizationOf,
    prepare: async (em, caller) => closeOrganizations(em, caller, [organizationId]),
    remove: () => ['/v2/organizations/delete', { organizationIds: [organizationId] }],
  },
  folder: {
    lock: async (em, caller) => lockFolder(em, caller, await organizationOf(em, caller), folderId),
    prepare: async (em, caller) => closeFolders(em, caller, await organizationOf(em, caller), folderId),
    remove: () => ['/v2/organizations/folders/delete', { organizationId, folderId }],
  },
  document: {
    lock: async (em, caller) => lockDocument(em, caller, await organizationOf(em, caller), documentId),
    prepare: async (em, caller) => closeDocuments(em, await organizationOf(em, caller), [documentId]),
    remove: () => ['/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] }],
  },
};

/** Whether a row of the key is closed now. */
const closing = async (table: string): Promise<boolean> =>
  (
    await api.database.sql(`select from ${table} where api_key_id = $1 and closing_until > now()`, [
      tenant.id,
    ])
  ).length > 0;

/**
 * Runs `act` while writers lock a row without pause: each commits only after the next one has locked it or was refused.
 * Returns the statuses of the refusals.
 */
async function besideWriters<Result>(lock: Lock, act: () => Promise<Result>) {
  const caller = { id: tenant.id } as Tenant;
  const refusals: string[] = [];
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const writing = async (): Promise<void> => {
    let [commit, running] = [(): void => undefined, Promise.resolve()];
    while (!stop.signal.aborted) {
      const [tried, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const next = transacted(api.orm, async (em) => {
        await lock(em, caller);
        tried.resolve();
        await released.promise;
      })
        .catch((error: unknown) => {
          if (!(error instanceof DomainError)) throw error;
          refusals.push(error.status);
        })
        .finally(tried.resolve);
      await tried.promise;
      commit();
      await running;
      [commit, running] = [released.resolve, next];
      begun.resolve();
    }
    commit();
    await running;
  };
  const writers = writing();
  await begun.promise;
  const result = await act().finally(() => {
    stop.abort();
  });
  await writers;
  return { result, refusals };
}

describe.each(Object.entries(resources))('the deletion of a busy %s', (name, { lock, prepare, remove }) => {
  it('succeeds while calls write to it without pause, which are aborted until it has', async () => {
    const { result, refusals } = await besideWriters(lock, async () => tenant.call(...remove()));
    expect(result.status).toBe(200);
    expect(refusals[0]).toBe('ABORTED');
    expect(refusals.filter((status) => !['ABORTED', 'NOT_FOUND'].includes(status))).toEqual([]);
  });

  it('succeeds in the same way with an Idempotency-Key, and is replayed', async () => {
    const options = { idempotencyKey: freshId('key') };
    const { result } = await besideWriters(lock, async () => tenant.call(...remove(), options));
    const repeated = await tenant.call(...remove(), options);
    expect([result.status, repeated.text]).toEqual([200, result.text]);
  });

  it('holds off writers only while one of them holds it', async () => {
    const caller = { id: tenant.id } as Tenant;
    const close = async () => transacted(api.orm, async (em) => prepare(em, caller));
    await close();
    expect(await closing(name)).toBe(false);
    const { result } = await besideWriters(lock, async () => {
      await close();
      return closing(name);
    });
    expect(result).toBe(true);
  });
});

/** Writes that lock a row of each table. */
const writes: Readonly<Record<string, readonly [table: string, path: string, () => object][]>> = {
  organization: [
    ['organization', '/v2/users/add', () => ({ organizationId, users: [{ userId: 'ben' }] })],
    [
      'organization',
      '/v2/users/add',
      () => ({ organizationId, createOrganization: true, users: [{ userId: 'ben' }] }),
    ],
    [
      'organization',
      '/v2/organizations/documents/add',
      () => ({ organizationId, documents: [{ documentId: 'other' }] }),
    ],
    ['organization', '/v2/activities/add', () => activity()],
    [
      'organization',
      '/v2/auth/permissions/add',
      () => permission({ type: 'organization', id: organizationId }),
    ],
  ],
  folder: [
    ['folder', '/v2/users/add', () => ({ organizationId, folderId, users: [{ userId: 'ben' }] })],
    [
      'folder',
      '/v2/users/add',
      () => ({
        organizationId,
        folderId,
        createFolder: true,
        parentFolderId: 'area',
        users: [{ userId: 'ben' }],
      }),
    ],
    [
      'folder',
      '/v2/auth/permissions/add',
      () => permission({ type: 'folder', id: folderId, organizationId }),
    ],
    [
      'folder',
      '/v2/organizations/documents/add',
      () => ({ organizationId, folderId, createFolder: true, documents: [{ documentId: 'other' }] }),
    ],
  ],
  document: [
    ['document', '/v2/users/add', () => ({ organizationId, documentId, users: [{ userId: 'ben' }] })],
    [
      'document',
      '/v2/users/add',
      () => ({ organizationId, documentId, createDocument: true, users: [{ userId: 'ben' }] }),
    ],
    ['document', '/v2/activities/add', () => activity()],
    [
      'document',
      '/v2/auth/permissions/add',
      () => permission({ type: 'document', id: documentId, organizationId }),
    ],
    [
      'document',
      '/v2/notifications/config/set',
      () => ({ organizationId, documentIds: [documentId], userIds: ['ada'], config: { inbox: 'NONE' } }),
    ],
  ],
};

const permission = (resource: object) => ({
  user: { userId: 'ada' },
  permissions: { resources: [resource] },
});

const activity = () => ({
  organizationId,
  documentId,
  activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'ada' } }],
});

describe('a write while a deletion waits', () => {
  it.each(Object.values(writes).flat())('to the %s is aborted: %s', async (table, path, data) => {
    const until = async (time: string) =>
      api.database.sql(
        `update ${table} set closing_until = now() + $2::interval where api_key_id = $1 and ext_id is not null`,
        [tenant.id, time],
      );
    await until('1 hour');
    const sent = await statementsOf(async () => {
      const refusal = await tenant.call(path, data());
      expect([refusal.status, refusal.body.error?.status]).toEqual([409, 'ABORTED']);
    });
    // A flag tries once to create the row.
    const created = sent.filter(({ text }) => /^insert into "?(?:organization|folder|document)\b/.test(text));
    expect(created.length).toBeLessThanOrEqual(1);
    // The deletion's process has crashed.
    await until('-1 second');
    await tenant.ok(path, data());
  });
});

it('a write that may create its folder is aborted at once while a deletion of the folder waits', async () => {
  const writer = await api.database.connect();
  await writer.query('begin');
  await writer.query('select from folder where api_key_id = $1 and ext_id = $2 for key share', [
    tenant.id,
    folderId,
  ]);
  const deletion = tenant.call('/v2/organizations/folders/delete', { organizationId, folderId });
  expect(await waitsForLock(api.database, deletion)).toBe(true);
  const flags = { createOrganization: true, createFolder: true };
  const [location, users] = [{ organizationId, ...flags }, [{ userId: 'ben' }]];
  const calls: readonly (readonly [path: string, data: object])[] = [
    ['/v2/organizations/documents/add', { ...location, folderId, documents: [{ documentId: 'other' }] }],
    ['/v2/users/add', { ...location, folderId, users }],
    ['/v2/users/add', { ...location, folderId, parentFolderId: 'area', users }],
    ['/v2/users/add', { ...location, folderId: 'new', parentFolderId: folderId, users }],
    [
      '/v2/auth/permissions/add',
      { ...permission({ type: 'folder', id: folderId, organizationId }), ...flags },
    ],
  ];
  const responses = await Promise.all(calls.map(async (call) => tenant.call(...call)));
  expect(responses.map(({ body }) => body.error?.status)).toEqual(calls.map(() => 'ABORTED'));
  await writer.query('commit');
  expect((await deletion).status).toBe(200);
});

it('a refused deletion of a folder commits nothing', async () => {
  const sent = await statementsOf(async () =>
    tenant.refused('/v2/organizations/folders/delete', { organizationId, folderId: 'unknown' }),
  );
  expect(sent.map(({ text }) => text)).not.toContain('commit');
  expect(sent.length).toBeGreaterThan(0);
});
