import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { removePersonalData } from '../../../domain/deletion/process-stores.ts';
import { verifyDeletion } from '../../../domain/deletion/verify-deletion.ts';
import { shareNames } from '../../../domain/users/lock-named.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import {
  addActivityLogs,
  aDocument,
  aFolder,
  freshId,
  type TestDocument,
  type TestTenant,
} from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { begunDeletion, whole } from './carry-out.ts';
import { aBusyTenant } from './furnish.ts';

let api: TestApi;
let tenant: TestTenant;
let location: TestDocument;
let folderId: string;

const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com' };
const other = { userId: 'other' };
const activity = { id: 'log', featureType: 'comment', actionType: 'comment.add', actionUser: other };
const execution = { agentId: 'agent', executionId: 'run', ranBy: other };
const notification = {
  notificationId: 'news',
  actionUser: other,
  displayHeadlineMessageTemplate: 'wrote',
  displayBodyMessage: 'Hello.',
  notifyUsers: [other],
};

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aBusyTenant(api);
  location = await aDocument(tenant);
  ({ folderId } = await aFolder(tenant, { organizationId: location.organizationId }));
  await tenant.ok('/v2/users/add', { organizationId: location.organizationId, users: [ada, other] });
  await addActivityLogs(tenant, location, [activity]);
  await tenant.ok('/v2/agents/execution/add', { ...location, ...execution });
  await tenant.ok('/v2/notifications/add', { ...location, ...notification });
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId: 'thread', commentData: [{ from: other }] }],
  });
  await whole(fenceUsers(api.orm, await begunDeletion(api, tenant, { userIds: [ada.userId] })));
});
afterAll(() => api.close());

/** Writes, each with free JSON in its body. */
type Write = (note: object) => readonly [path: string, data: object];

const writes: Readonly<Record<string, Write>> = {
  'organizations/add': (note) => [
    '/v2/organizations/add',
    { organizations: [{ organizationId: 'new', note }] },
  ],
  'organizations/update': (note) => [
    '/v2/organizations/update',
    { organizations: [{ organizationId: location.organizationId, note }] },
  ],
  'folders/add': (note) => [
    '/v2/organizations/folders/add',
    { organizationId: location.organizationId, folders: [{ folderId: freshId('folder'), note }] },
  ],
  'folders/update': (note) => [
    '/v2/organizations/folders/update',
    { organizationId: location.organizationId, folders: [{ folderId, note }] },
  ],
  'documents/add': (note) => [
    '/v2/organizations/documents/add',
    { organizationId: location.organizationId, documents: [{ documentId: freshId('document'), note }] },
  ],
  'documents/update': (note) => [
    '/v2/organizations/documents/update',
    { organizationId: location.organizationId, documents: [{ documentId: location.documentId, note }] },
  ],
  'users/add': (note) => [
    '/v2/users/add',
    { organizationId: location.organizationId, users: [{ ...other, note }] },
  ],
  'users/update': (note) => [
    '/v2/users/update',
    { organizationId: location.organizationId, users: [{ ...other, note }] },
  ],
  'execution/add': (note) => [
    '/v2/agents/execution/add',
    { ...location, ...execution, executionId: freshId('run'), results: [note] },
  ],
  'execution/update': (note) => ['/v2/agents/execution/update', { executionId: 'run', results: [note] }],
  'activities/add': (note) => [
    '/v2/activities/add',
    { ...location, activities: [{ ...activity, id: freshId('log'), entityData: note }] },
  ],
  'activities/add by the acting user’s members': (note) => [
    '/v2/activities/add',
    { ...location, activities: [{ ...activity, id: freshId('log'), actionUser: { ...other, team: note } }] },
  ],
  'activities/update': (note) => [
    '/v2/activities/update',
    { organizationId: location.organizationId, activities: [{ id: 'log', entityData: note }] },
  ],
  'notifications/add': (note) => [
    '/v2/notifications/add',
    { ...location, ...notification, notificationId: 'more', metadata: { note } },
  ],
  'notifications/update': (note) => [
    '/v2/notifications/update',
    { ...location, notifications: [{ id: 'news', notificationSourceData: { note } }] },
  ],
  'reactions/add': (note) => [
    '/v2/commentannotations/comments/reactions/add',
    { ...location, annotationId: 'thread', commentId: 1, icon: 'ok', from: { ...other, note } },
  ],
};

const forms: Readonly<Record<string, object>> = {
  'an object with their userId': { list: [{ by: { userId: ada.userId } }] },
  'a key that is their id': { reactions: { [ada.userId]: 'yes' } },
  'a key that is their address in capitals': { reactions: { [ada.email.toUpperCase()]: 'yes' } },
};

describe('during the deletion of a user,', () => {
  const cases = Object.keys(writes).flatMap((write) =>
    Object.keys(forms).map((form) => [write, form] as const),
  );

  it.each(cases)('%s rejects free JSON that names the user by %s', async (write, form) => {
    const [path, data] = writes[write]?.(forms[form] ?? {}) ?? ['', {}];
    expect(await tenant.refused(path, data)).toMatchObject({ status: 'FAILED_PRECONDITION' });
  });

  it.each(Object.keys(writes))('%s accepts free JSON that names others', async (write) => {
    const [path, data] = writes[write]?.({ by: { userId: 'grace' }, 'lin@example.com': 'yes' }) ?? ['', {}];
    await tenant.ok(path, data);
  });
});

describe('an organization that another call creates while a write of it waits for a user', () => {
  const sqlOf = async (statement: string, organizationId: string) =>
    api.database.sql(`${statement} where api_key_id = $1 and ext_id = $2`, [tenant.id, organizationId]);

  /** Runs `arrange` while the write waits for the row of `other`. Returns the status of the write's error. */
  const whileWaiting = async (
    write: readonly [path: string, data: object],
    arrange: () => Promise<unknown>,
  ) => {
    const holder = await api.database.connect();
    await holder.query('begin');
    await holder.query('select from app_user where api_key_id = $1 and ext_id = $2 for update', [
      tenant.id,
      other.userId,
    ]);
    const call = tenant.call(...write);
    expect(await waitsForLock(api.database, call)).toBe(true);
    await arrange();
    await holder.query('commit');
    await holder.end();
    return (await call).body.error?.status;
  };
  it.each(['add', 'update'].flatMap((verb) => ['an id', 'a key'].map((form) => ({ verb, form }))))(
    'refuses metadata from organizations/$verb that names a fenced user by $form',
    async ({ verb, form }) => {
      const userId = freshId('eve');
      const organization = { organizationId: freshId('organization') };
      await tenant.ok('/v2/users/add', { organizationId: location.organizationId, users: [{ userId }] });
      if (verb === 'update') await tenant.ok('/v2/organizations/add', { organizations: [organization] });
      const note = [other, form === 'an id' ? { userId } : { [userId]: 'yes' }];
      const write = [`/v2/organizations/${verb}`, { organizations: [{ ...organization, note }] }] as const;
      const status = await whileWaiting(write, async () => {
        await sqlOf('delete from organization', organization.organizationId);
        await tenant.ok('/v2/organizations/add', { organizations: [organization] });
        const request = { userIds: [userId], organizationIds: [organization.organizationId] };
        const deletion = await begunDeletion(api, tenant, request);
        await whole(fenceUsers(api.orm, deletion));
        await whole(removePersonalData(api.orm, deletion));
        expect(await whole(verifyDeletion(api.orm, deletion))).toEqual([]);
      });
      expect(status).toBe('FAILED_PRECONDITION');
      expect(await sqlOf('select metadata from organization', organization.organizationId)).toEqual([
        { metadata: {} },
      ]);
    },
  );
});

describe('an unknown user', () => {
  it('is fenced only after writes that may use the id as a key have ended', async () => {
    const deletion = await begunDeletion(api, tenant, { userIds: ['unheard-of'] });
    let closed = false;
    let closing: Promise<boolean> | undefined;
    await inTransaction(api.orm, async (em) => {
      // Locks no row of the user: none exists for this writer.
      await shareNames(em, tenant);
      closing = whole(fenceUsers(api.orm, deletion)).then(() => (closed = true));
      await eventually(async () => {
        const [row] = await api.database.sql<{ phase: number | null }>(
          'select phase from user_data_deletion where job_id = $1',
          [deletion.jobId],
        );
        return row?.phase === 1;
      });
      expect(closed).toBe(false);
    });
    expect(await closing).toBe(true);
  });
});
