import { afterAll, expect, it } from '@jest/globals';
import { containerExecutions } from '../../domain/agents/execution-records.ts';
import type { ContainerRecords } from '../../domain/documents/record-kind.ts';
import { containerAccess } from '../../domain/members/access-records.ts';
import { containerPreferences } from '../../domain/notifications/notification-records.ts';
import { startTestApi } from '../support/api.ts';
import { anOrganization, aTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { waitsForLock } from '../support/lock-waits.ts';

const api = await startTestApi();
afterAll(api.close);

it.each<[string, string, ContainerRecords]>([
  [
    'memberships',
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
     select u.id, 1, $2, $1, $2, u.ext_id, true from app_user u where u.api_key_id = $1`,
    containerAccess,
  ],
  [
    'preferences',
    `insert into preference (user_id, org_id, document_id, api_key_id, inbox)
     select u.id, $2, 0, $1, 1 from app_user u where u.api_key_id = $1`,
    containerPreferences,
  ],
  [
    'executions',
    `insert into agent_execution (api_key_id, org_id, ext_id, agent_id, started_at, status, body)
     select $1, $2, n::text, 'agent', n, 1, '{}' from generate_series(1, 3) n`,
    containerExecutions,
  ],
])(
  '%s of a deleted organization are not at their end while another attempt deletes them',
  async (_, insert, kind) => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const [row] = await api.database.sql<{ id: string }>(
      'select id from organization where api_key_id = $1 and ext_id = $2',
      [tenant.id, organizationId],
    );
    const organization = row?.id ?? '';
    await api.database.sql(
      `insert into app_user (api_key_id, ext_id) select $1, n::text from generate_series(1, 3) n`,
      [tenant.id],
    );
    await api.database.sql(insert, [tenant.id, organization]);
    const remove = async () =>
      transacted(api.orm, async (em) => kind.organizations?.(em, tenant.id, [organization]));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = transacted(api.orm, async (em) => {
      const count = await kind.organizations?.(em, tenant.id, [organization]);
      begun.resolve();
      await ended;
      return count;
    });
    await begun.promise;
    const second = remove();
    expect(await waitsForLock(api.database, second)).toBe(true);
    end();
    expect([await first, await second, await remove()]).toEqual([3, 3, 0]);
  },
);
