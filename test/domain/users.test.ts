import { afterAll, describe, expect, it } from '@jest/globals';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { lockUsers, refuseFencedUsers } from '../../domain/users/lock-users.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const { database, orm } = api;

/** The tenant as a domain value. */
async function aCaller(): Promise<Tenant> {
  const { id, keyId } = await aTenant(api);
  const accessType = 'public';
  return {
    id,
    keyId,
    switches: {
      activityLogs: true,
      activityLogsImmutable: false,
      notificationService: false,
      advancedWebhooks: false,
      webhooks: false,
      permissionProvider: false,
      defaultDocumentAccessType: accessType,
      defaultFolderAccessType: accessType,
    },
  };
}

const usersOf = async ({ id }: Tenant) =>
  database.sql<{ id: string; ext_id: string; name: string }>(
    'select id, ext_id, name from app_user where api_key_id = $1 order by id',
    [id],
  );

describe('locking the users that a write names', () => {
  it('creates one bare row per unknown id, and returns the row of each id', async () => {
    const tenant = await aCaller();
    const first = await inTransaction(orm, async (em) => lockUsers(em, tenant, ['b', 'a', 'b']));
    const again = await inTransaction(orm, async (em) => lockUsers(em, tenant, ['c', 'a']));
    expect([...first.keys()].sort()).toEqual(['a', 'b']);
    expect(again.get('a')).toBe(first.get('a'));
    expect((await usersOf(tenant)).map(({ ext_id, name }) => [ext_id, name])).toEqual([
      ['a', ''],
      ['b', ''],
      ['c', ''],
    ]);
  });

  it('creates separate rows per tenant', async () => {
    const [mine, theirs] = [await aCaller(), await aCaller()];
    const users = await inTransaction(orm, async (em) => [
      await lockUsers(em, mine, ['a']),
      await lockUsers(em, theirs, ['a']),
    ]);
    expect(users[0]?.get('a')).not.toBe(users[1]?.get('a'));
  });

  it('never deadlocks when calls name the same users in any order', async () => {
    const tenant = await aCaller();
    const ids = Array.from({ length: 40 }, (_, index) => `user-${String(index)}`);
    const calls = Array.from({ length: 12 }, async (_, index) =>
      transacted(orm, async (em) => lockUsers(em, tenant, index % 2 === 0 ? ids : ids.toReversed())),
    );
    for (const users of await Promise.all(calls)) expect(users.size).toBe(40);
    expect(await usersOf(tenant)).toHaveLength(40);
  });

  it('uses as many statements for 1,000 users as for one', async () => {
    const tenant = await aCaller();
    const count = async (ids: string[]) =>
      (await statementsOf(() => inTransaction(orm, async (em) => lockUsers(em, tenant, ids)))).length;
    const many = Array.from({ length: 1_000 }, (_, index) => `user-${String(index)}`);
    expect([await count(['one']), await count(many), await count(many)]).toEqual([6, 6, 3]);
  });
});

interface Fence {
  readonly organizations?: readonly string[];
  readonly fenced?: boolean;
  readonly ended?: boolean;
}

/** The rows of a user data deletion that writers see. */
async function aDeletion(
  tenant: Tenant,
  userId: string,
  { organizations = [], fenced = true, ended = false }: Fence,
) {
  const [job] = await database.sql<{ id: string; public_id: string }>(
    `insert into job (api_key_id, public_id, kind, status) values ($1, gen_random_uuid()::text, 2, 1) returning id, public_id`,
    [tenant.id],
  );
  await database.sql(
    `insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at, ended_at)
     values ($1, $2, 'a', $3, case when $4 then now() end, case when $5 then now() end)`,
    [job?.id, userId, tenant.id, fenced, ended],
  );
  for (const organization of organizations) {
    await database.sql('insert into user_deletion_organization values ($1, $2)', [job?.id, organization]);
  }
  return job?.public_id;
}

describe('a user under deletion', () => {
  const write = async (tenant: Tenant, organization: string | null) =>
    inTransaction(orm, async (em) =>
      refuseFencedUsers(
        em,
        await lockUsers(em, tenant, ['a', 'b']),
        organization === null ? null : [organization],
      ),
    );
  const aUser = async (tenant: Tenant) =>
    (await inTransaction(orm, async (em) => lockUsers(em, tenant, ['a']))).get('a') ?? '';

  it('fails the whole call with FAILED_PRECONDITION, the users and the job', async () => {
    const tenant = await aCaller();
    const jobId = await aDeletion(tenant, await aUser(tenant), {});
    await expect(write(tenant, '7')).rejects.toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'User data deletion is in progress.',
      details: { userIds: ['a'], jobId },
    });
    // The rejected call leaves no row, not even the bare row of another user.
    expect((await usersOf(tenant)).map(({ ext_id }) => ext_id)).toEqual(['a']);
  });

  it('is fenced in the organizations of the job only, or in all when it names none', async () => {
    const tenant = await aCaller();
    await aDeletion(tenant, await aUser(tenant), { organizations: ['7', '8'] });
    await expect(write(tenant, '8')).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
    await write(tenant, '9');
    await expect(write(tenant, null)).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
  });

  it('is not fenced after the job has ended, nor during a dry run', async () => {
    const tenant = await aCaller();
    const user = await aUser(tenant);
    await aDeletion(tenant, user, { ended: true });
    await aDeletion(tenant, user, { fenced: false });
    await write(tenant, '7');
  });

  it('is fenced only after writers that lock the row have ended, and waiting writers see the fence', async () => {
    const tenant = await aCaller();
    const user = await aUser(tenant);
    const deletion = await database.connect();
    await deletion.query('begin');
    await deletion.query('select from app_user where id = $1 for update', [user]);
    const writing = write(tenant, '7');
    const refused = expect(writing).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
    await eventually(async () => {
      const waiting = await database.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    });
    await aDeletion(tenant, user, {});
    await deletion.query('commit');
    await refused;
  });
});
