import type { Comparison } from './comparison.ts';
import type { Site } from './site.ts';

const organizations = 1_000;
const requested = 30;

/** Compares organizations/get of 30 ids among 1,000 with the floors. */
export async function organizationComparisons(site: Site): Promise<Comparison[]> {
  await site.sql.query(
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, 'organization-' || n, 'Organization ' || n, '{"plan": "gold", "seats": 12}'
     from generate_series(1, $2::int) as n`,
    [site.tenant.id, organizations],
  );
  await site.sql.query('vacuum analyze organization');
  const organizationIds = Array.from(
    { length: requested },
    (_, n) => `organization-${String(1 + n * Math.floor(organizations / requested))}`,
  );
  const body = JSON.stringify({ data: { organizationIds } });
  const { headers } = site.tenant;
  return [
    {
      name: `organizations/get of ${String(requested)}`,
      connections: 50,
      steward: { url: `${site.api.url}/v2/organizations/get`, headers, body },
      against: [
        {
          name: 'Koa + zod + pg, credentials and rows',
          target: { url: `${site.floor.url}/organizations`, headers, body },
          aim: { of: 'ratio', is: 'at least', value: 1 },
        },
        {
          name: 'Koa + zod + pg, rows alone',
          target: { url: `${site.floor.url}/organizations/rows-only`, headers, body },
        },
      ],
    },
  ];
}
