import { afterAll, describe, expect, it } from '@jest/globals';
import { activities } from '../../../domain/deletion/stores/activities.ts';
import { events } from '../../../domain/deletion/stores/events.ts';
import { mentions } from '../../../domain/deletion/stores/mentions.ts';
import { identify } from '../../../domain/deletion/stores/addresses.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi } from '../../support/api.ts';
import { aDocument } from '../../support/factories.ts';
import { aBusyTenant } from './furnish.ts';

const api = await startTestApi();
afterAll(api.close);

const ids = ['first', 'between', 'last'] as const;

describe('the cursor of a person who has left the scope of a deletion', () => {
  it.each([
    ['events', events, ['-infinity', '0'], 'event_user', 'user_id'],
    ['mentions', mentions, ['0', '0'], 'record_user', 'user_id'],
    ['activities', activities, ['0', '0', '0'], 'activity', 'actor_id'],
  ] as const)('reaches no row of the users in between: %s', async (_name, store, position, table, column) => {
    const tenant = await aBusyTenant(api);
    const document = await aDocument(tenant);
    for (const userId of ids)
      await tenant.ok('/v2/activities/add', {
        ...document,
        activities: [
          {
            featureType: 'comment',
            actionType: 'comment.add',
            actionUser: { userId },
            entityData: { tagged: { userId } },
          },
        ],
      });
    const users = await api.database.sql<{ id: string; userId: string }>(
      `select id, ext_id as "userId" from app_user where api_key_id = $1 and ext_id = any($2) order by id`,
      [tenant.id, ids],
    );
    expect(users.map(({ userId }) => userId)).toEqual(ids);
    const [first, , last] = users;
    if (first === undefined || last === undefined) throw new Error('missing user');
    const rowsOf = async (): Promise<readonly (string | undefined)[]> => {
      const rows = await api.database.sql<{ id: string }>(
        `select distinct ${column} as id from ${table} where ${column} = any($1) order by 1`,
        [users.map(({ id }) => id)],
      );
      return rows.map(({ id }) => users.find((user) => user.id === id)?.userId);
    };
    expect(await rowsOf()).toEqual(ids);
    const scope = { tenantId: tenant.id, users: [last], organizations: null };
    await inTransaction(api.orm, async (em) =>
      store.remove(em, await identify(em, scope), [first.id, ...position]),
    );
    expect(await rowsOf()).toEqual(['first', 'between']);
  });
});
