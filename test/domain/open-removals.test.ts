import { describe, expect, it } from '@jest/globals';
import { aDocument, activities, withActivityLogs } from '../support/factories.ts';
import { tenantScene } from '../support/document-scene.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf } from '../support/statements.ts';

const { api, tenant } = await tenantScene({ prepare: withActivityLogs });
// A backlog of jobs of other organizations, as while no worker runs.
await api.database.sql(
  `insert into job (api_key_id, public_id, kind, status, org_id, request)
   select $1, 'open-' || n, 4, 0, -n % 500,
     case when n % 2 = 0 then '{}' else '{"records": {"of": "activities", "selection": {}}}' end::json
   from generate_series(1, 2000) n`,
  [tenant.id],
);
await withLargeTables(api.database, tenant.id);
const document = await aDocument(tenant);

/** The statements of a call that ask for open removals. */
const asking = async (path: string, members: object) => {
  const sent = await statementsOf(() => tenant.ok(path, { ...document, ...members }));
  return sent.filter(({ text }) => text.includes(`'upTo'`));
};

interface Write {
  readonly path: string;
  readonly members: (id: string) => object;
  /** Searched indexes. */
  readonly indexes: readonly string[];
}

const writes: Record<string, Write> = {
  activities: {
    path: '/v2/activities/add',
    members: (id) => ({ activities: activities(1, { id }) }),
    indexes: ['activity_pkey', 'job_open_removal'],
  },
};

describe('the open removals of an organization', () => {
  it.each(Object.entries(writes))(
    'are read once by a call that overwrites %s, by an index, and not by one that adds',
    async (_, { path, members, indexes }) => {
      expect(await asking(path, members('a'))).toEqual([]);
      const [statement, ...others] = await asking(path, members('a'));
      expect([statement?.text, others]).toEqual([expect.any(String), []]);
      const plan = await explain(api.database, statement ?? { text: '' });
      expect(plan.indexes.toSorted()).toEqual(indexes);
      expect(plan.wholeTables).toEqual([]);
    },
  );
});
