import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActiveDeletion } from '../../../domain/deletion/active-deletion.ts';
import { threadRoles } from '../../../domain/comments/thread-person.entity.ts';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { removePersonalData } from '../../../domain/deletion/process-stores.ts';
import { verifyDeletion } from '../../../domain/deletion/verify-deletion.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aBusyTenant } from './furnish.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** A tenant with a document and two users with profiles whose ids differ in letter case only. */
async function twoSpellings() {
  const tenant = await aBusyTenant(api);
  const location = await aDocument(tenant);
  const { organizationId } = location;
  const lower = `${freshId('ada')}@example.com`;
  const capital = `A${lower.slice(1)}`;
  await tenant.ok('/v2/users/add', {
    organizationId,
    users: [
      { userId: capital, name: 'Ada' },
      { userId: lower, name: 'Adam' },
    ],
  });
  return { tenant, location, ids: { capital, lower } };
}

const deleteOf = async (tenant: TestTenant, userId: string) =>
  carriedOut(api, await begunDeletion(api, tenant, { userIds: [userId] }));

describe('the deletion of a user', () => {
  it.each(['capital', 'lower'] as const)(
    'leaves free JSON of the user whose id differs in letter case only, and the deletion of that user finds it (%s first)',
    async (first) => {
      const { tenant, location, ids } = await twoSpellings();
      const { organizationId } = location;
      const second = first === 'capital' ? 'lower' : 'capital';
      const named = { capital: { userId: ids.capital }, lower: { userId: ids.lower } };
      await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, ...named }] });
      const metadata = async (): Promise<unknown> => {
        const [row] = await api.database.sql<{ metadata: unknown }>(
          'select metadata from organization where api_key_id = $1 and ext_id = $2',
          [tenant.id, organizationId],
        );
        return row?.metadata;
      };
      expect(await metadata()).toEqual(named);
      expect(await deleteOf(tenant, ids[first])).toEqual([]);
      expect(await metadata()).toEqual({ [second]: named[second] });
      expect(await deleteOf(tenant, ids[second])).toEqual([]);
      expect(await metadata()).toEqual({});
    },
  );
});

describe('a user without a profile whose id is an address of a deleted one', () => {
  it('keeps comments and the role of their author, as declared in notReached', async () => {
    const tenant = await aBusyTenant(api);
    const location = await aDocument(tenant);
    const address = 'ada@example.com';
    const users = [{ userId: 'ada', email: address }];
    await tenant.ok('/v2/users/add', { organizationId: location.organizationId, users });
    const tagged = [{ userId: address, text: '@Ada', contact: { userId: address } }];
    const naming = { from: { userId: 'grace' }, commentText: `{{${address}}}`, taggedUserContacts: tagged };
    const threads = { alone: [{ from: { userId: 'grace' } }], tagging: [naming], tagged: [naming] };
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: Object.entries(threads).map(([annotationId, comments]) => ({
        annotationId,
        commentData: annotationId === 'tagged' ? comments : [...comments, { from: { userId: address } }],
      })),
    });
    const people = async () =>
      api.database.sql<{ thread: string; roles: number }>(
        `select t.ext_id as thread, p.roles from thread_person p join thread t on t.id = p.thread_id
           join app_user u on u.id = p.user_id where u.api_key_id = $1 and u.ext_id = $2 order by 1`,
        [tenant.id, address],
      );
    const { author } = threadRoles;
    const before = await people();
    expect(before.map(({ thread, roles }) => [thread, roles & author])).toEqual([
      ['alone', author],
      ['tagged', 0],
      ['tagging', author],
    ]);
    expect(await deleteOf(tenant, 'ada')).toEqual([]);
    expect(await people()).toEqual([
      { thread: 'alone', roles: author },
      { thread: 'tagging', roles: author },
    ]);
  });
});

/** Writes that name a user: as the actor, by an object's `userId`, and by keys. */
const writesOf = (
  { organizationId, documentId }: TestDocument,
  userId: string,
): readonly (readonly [path: string, data: object])[] => {
  const activity = { id: freshId('log'), featureType: 'comment', actionType: 'comment.add' };
  const added = (one: object) =>
    ['/v2/activities/add', { organizationId, documentId, activities: [one] }] as const;
  const noted = (note: object) =>
    ['/v2/organizations/update', { organizations: [{ organizationId, note }] }] as const;
  return [
    added({ ...activity, actionUser: { userId } }),
    added({ ...activity, actionUser: { userId: 'other' }, entityData: { reactions: { [userId]: 'yes' } } }),
    noted({ by: { userId } }),
    noted({ [userId]: 'yes' }),
  ];
};

async function fence(tenant: TestTenant, userId: string): Promise<ActiveDeletion> {
  const deletion = await begunDeletion(api, tenant, { userIds: [userId] });
  await whole(fenceUsers(api.orm, deletion));
  return deletion;
}

async function expectAccepted(tenant: TestTenant, location: TestDocument, userId: string): Promise<void> {
  for (const [path, data] of writesOf(location, userId)) await tenant.ok(path, data);
}

async function expectRefused(tenant: TestTenant, location: TestDocument, userId: string): Promise<void> {
  for (const [path, data] of writesOf(location, userId))
    expect(await tenant.refused(path, data)).toMatchObject({ status: 'FAILED_PRECONDITION' });
}

describe('the write fence of a user', () => {
  it.each(['capital', 'lower'] as const)(
    'does not reject writes that name the user whose id differs in letter case only (%s fenced)',
    async (fenced) => {
      const { tenant, location, ids } = await twoSpellings();
      await fence(tenant, ids[fenced]);
      await expectRefused(tenant, location, ids[fenced]);
      await expectAccepted(tenant, location, ids[fenced === 'capital' ? 'lower' : 'capital']);
    },
  );

  it('rejects writes that name an address of the user, except while it is the id of another user with a profile', async () => {
    const tenant = await aBusyTenant(api);
    const location = await aDocument(tenant);
    const { organizationId } = location;
    const team = 'team@example.com';
    const add = async (user: object) => tenant.ok('/v2/users/add', { organizationId, users: [user] });
    await add({ userId: 'ada', email: team });
    const deletion = await fence(tenant, 'ada');
    await expectRefused(tenant, location, team);
    await add({ userId: 'Team@example.com', name: 'Team' });
    await expectAccepted(tenant, location, 'Team@example.com');
    await expectRefused(tenant, location, 'ada');
    expect(await carriedOut(api, deletion)).toEqual([]);
  });
});

describe('an address that becomes the id of another user during a deletion', () => {
  const team = 'Team@example.com';

  /** Begins the deletion of a user with this address. `takeOver` adds the other user and records that name it. */
  async function begun() {
    const tenant = await aBusyTenant(api);
    const location = await aDocument(tenant);
    const { organizationId } = location;
    await tenant.ok('/v2/users/add', {
      organizationId,
      users: [{ userId: 'ada', email: team.toLowerCase() }],
    });
    const deletion = await fence(tenant, 'ada');
    const takeOver = async () => {
      await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: team, name: 'Team' }] });
      await expectAccepted(tenant, location, team);
    };
    const named = async () =>
      api.database.sql(
        `select a.ext_id from activity a left join app_user u on u.id = a.actor_id
           where a.api_key_id = $1 and (u.ext_id = $2 or a.body::text like $3)
         union all select ext_id from organization where api_key_id = $1 and metadata::text like $3 order by 1`,
        [tenant.id, team, `%${team}%`],
      );
    return { deletion, takeOver, named };
  }

  it('keeps the records of the other user, although the first batches knew it as one of the person', async () => {
    const { deletion, takeOver, named } = await begun();
    const removal = removePersonalData(api.orm, deletion);
    await removal.next();
    await takeOver();
    const before = await named();
    expect(before).toHaveLength(2);
    await whole(removal);
    expect(await whole(verifyDeletion(api.orm, deletion))).toEqual([]);
    expect(await named()).toEqual(before);
  });

  it('keeps the records of the other user whose profile is committed during a batch', async () => {
    const tenant = await aBusyTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const address = 'team@example.com';
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', email: address }] });
    const notes = [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: address } }];
    await tenant.ok('/v2/activities/add', { organizationId, documentId, activities: notes });
    const named = async () =>
      api.database.sql('select from event_user e join app_user u on u.id = e.user_id where u.ext_id = $1', [
        address,
      ]);
    const before = await named();
    expect(before.length).toBeGreaterThan(0);
    const deletion = await fence(tenant, 'ada');
    const other = await api.database.connect();
    await other.query('begin');
    await other.query(`update app_user set name = 'Team' where api_key_id = $1 and ext_id = $2`, [
      tenant.id,
      address,
    ]);
    const removal = whole(removePersonalData(api.orm, deletion));
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    await other.query('commit');
    await removal;
    expect(await named()).toEqual(before);
  });

  it('is no finding of the verification that has begun', async () => {
    const { deletion, takeOver, named } = await begun();
    await whole(removePersonalData(api.orm, deletion));
    const verification = verifyDeletion(api.orm, deletion);
    await verification.next();
    await takeOver();
    expect(await whole(verification)).toEqual([]);
    expect(await named()).toHaveLength(2);
  });
});
