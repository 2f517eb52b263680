import { afterAll, describe, expect, it } from '@jest/globals';
import {
  deleteExpiredResponses,
  deleteExpiredGrants,
} from '../../../domain/permissions/delete-expired-access.ts';
import { startTestApi } from '../../support/api.ts';
import { explain, statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const { database, orm } = api;

describe('deleting expired access', () => {
  it('removes grants 30 days after their expiry and keeps memberships', async () => {
    await database.sql(
      `with k as (insert into workspace (public_id, name, owner_email, token_hash, token_enc) values ('w', '', '', '', '') returning id),
       a as (insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email) select id, '', '', '', '', '' from k returning id),
       u as (insert into app_user (api_key_id, ext_id) select id, 'u' from a returning id, api_key_id)
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, member_role, grant_role, grant_expires_at)
       select u.id, 3, r.id, u.api_key_id, 1, 'u', r.member, 1, 2, now() + r.ends from u, (values
         (1, false, interval '-31 days'), (2, true, interval '-31 days'), (3, false, interval '-29 days'),
         (4, false, interval '1 day'), (5, false, null)) r (id, member, ends)`,
    );
    await deleteExpiredGrants(orm.em.fork());
    expect(
      await database.sql(
        'select resource_id, is_member, member_role, grant_role from access order by resource_id',
      ),
    ).toEqual([
      { resource_id: '2', is_member: true, member_role: 1, grant_role: null },
      { resource_id: '3', is_member: false, member_role: 1, grant_role: 2 },
      { resource_id: '4', is_member: false, member_role: 1, grant_role: 2 },
      { resource_id: '5', is_member: false, member_role: 1, grant_role: 2 },
    ]);
  });

  it('removes cached decisions of providers', async () => {
    await database.sql(
      `insert into provider_answer (api_key_id, config_version, user_id, kind, resource_id, has_access, expires_at, expiry_stated)
       select 1, 1, 1, 3, n, true, now() + n * interval '1 minute', true from generate_series(-3, 2) n where n <> 0`,
    );
    await deleteExpiredResponses(orm.em.fork());
    const left = await database.sql('select resource_id from provider_answer order by 1');
    expect(left).toEqual([{ resource_id: '1' }, { resource_id: '2' }]);
  });

  it('uses an index', async () => {
    const sent = await statementsOf(async () => {
      await deleteExpiredGrants(orm.em.fork());
      await deleteExpiredResponses(orm.em.fork());
    });
    expect(sent).toHaveLength(2);
    for (const statement of sent) expect((await explain(database, statement)).wholeTables).toEqual([]);
  });
});
