import { afterAll, describe, expect, it } from '@jest/globals';
import { completeDeletion } from '../../../domain/deletion/end-deletion.ts';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { forgetNames } from '../../../domain/deletion/forget-names.ts';
import { removePersonalData } from '../../../domain/deletion/process-stores.ts';
import { verifyDeletion } from '../../../domain/deletion/verify-deletion.ts';
import { jsonKinds } from '../../../domain/users/json-name.entity.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, anOrganization } from '../../support/factories.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { begunDeletion, whole } from './carry-out.ts';
import { aBusyTenant, aPerson } from './furnish.ts';

const api = await startTestApi();
afterAll(api.close);

const ada = aPerson('ada');
const grace = aPerson('grace');

/** Indexes names of the tenant under 6,000 blocks of activity logs and 6,000 seconds of responses each. */
async function index(tenantId: string, names: readonly string[]): Promise<void> {
  await api.database.sql(
    `insert into moment_name (api_key_id, endpoint_id, name_hash, at)
     select $1, e, hashtextextended(n, $1), date_trunc('second', now()) - s * interval '1 second'
     from unnest($2::text[]) as n, generate_series(1, 2) as e, generate_series(1, 3000) as s`,
    [tenantId, names],
  );
  await api.database.sql(
    `insert into json_name (api_key_id, kind, name_hash, block)
     select $1, k, hashtextextended(n, $1), 1000000 + b
     from unnest($2::text[]) as n, generate_series(1, 2) as k, generate_series(1, 3000) as b`,
    [tenantId, names],
  );
}

/** Number of index rows with one of these names. */
async function indexed(tenantId: string, names: readonly string[]): Promise<number> {
  const [row] = await api.database.sql<{ count: number }>(
    `with hashes as (select hashtextextended(n, $1) as hash from unnest($2::text[]) as n)
     select ((select count(*) from moment_name where api_key_id = $1 and name_hash in (select hash from hashes))
       + (select count(*) from json_name where api_key_id = $1 and name_hash in (select hash from hashes)))::int as count`,
    [tenantId, names],
  );
  return row?.count ?? 0;
}

describe('the end of a deletion', () => {
  it('removes the names from the indexes in batches, and continues after a crash', async () => {
    const tenant = await aBusyTenant(api);
    const { orm, keyRing } = api;
    const organizationId = await anOrganization(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [ada, grace] });
    const names = [ada.userId, ada.email.toLowerCase()];
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    await whole(fenceUsers(orm, deletion));
    await whole(removePersonalData(orm, deletion));
    expect(await whole(verifyDeletion(orm, deletion))).toEqual([]);
    await index(tenant.id, [...names, grace.userId]);

    const completing = () =>
      completeDeletion(orm, { keyRing, issuer: 'https://steward.test', journal: undefined }, deletion);
    let left = await indexed(tenant.id, names);
    expect(left).toBeGreaterThanOrEqual(24_000);
    // Each attempt ends after its first batch.
    for (let attempt = 0; left > 0; attempt += 1) {
      expect(attempt).toBeLessThan(10);
      const steps = completing();
      expect(await steps.next()).toEqual({ done: false, value: undefined });
      await steps.return('reopened');
      const after = await indexed(tenant.id, names);
      expect(left - after).toBeGreaterThan(0);
      expect(left - after).toBeLessThanOrEqual(10_000);
      left = after;
    }
    expect(await whole(completing())).toBe('ended');
    expect(await indexed(tenant.id, [grace.userId])).toBeGreaterThanOrEqual(12_000);
  });

  it('keeps the index of an address that another user takes over while a batch removes it', async () => {
    const tenant = await aBusyTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const team = 'team@example.com';
    const add = async (user: object) => tenant.ok('/v2/users/add', { organizationId, users: [user] });
    const record = async () =>
      tenant.ok('/v2/activities/add', {
        organizationId,
        documentId,
        activities: [
          {
            featureType: 'comment',
            actionType: 'comment.add',
            actionUser: { userId: 'other' },
            entityData: { reactions: { [team]: 'yes' } },
          },
        ],
      });
    await add({ userId: 'ada', email: team });
    await record();
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
    await whole(fenceUsers(api.orm, deletion));
    await whole(removePersonalData(api.orm, deletion));
    expect(await whole(verifyDeletion(api.orm, deletion))).toEqual([]);

    const other = await api.database.connect();
    await other.query('begin');
    await other.query('select from json_name where api_key_id = $1 for update', [tenant.id]);
    const removal = whole(forgetNames(api.orm, deletion));
    expect(await waitsForLock(api.database, removal)).toBe(true);
    let recorded = false;
    const takeOver = (async () => {
      await add({ userId: team, name: 'Team' });
      await record();
      recorded = true;
    })();
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return recorded || waiting.length > 1;
    });
    await other.query('commit');
    await Promise.all([removal, takeOver]);
    const blocks = await api.database.sql(
      'select block from json_name where api_key_id = $1 and kind = $2 and name_hash = hashtextextended($3, $1)',
      [tenant.id, jsonKinds.activity, team],
    );
    expect(blocks).toHaveLength(1);
  });
});
