import type { Comparison } from './comparison.ts';
import type { Target } from './load.ts';
import type { Site } from './site.ts';
import { documentId, organizationId } from './tenant.ts';

const atLeast = (value: number) => ({ of: 'ratio', is: 'at least', value }) as const;

/** Many callers with one record each; few with a thousand, as there are no more connections to the database. */
const connectionsFor = (batch: number): number => (batch === 1 ? 50 : 10);

const organizations = 1_000;
const asked = 30;

/** organizations/get of 30 by id, among 1,000. */
export async function readComparisons(site: Site): Promise<Comparison[]> {
  await site.sql.query(
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, 'organization-' || n, 'Organization ' || n, '{"plan": "gold", "seats": 12}'
     from generate_series(1, $2::int) as n`,
    [site.tenant.id, organizations],
  );
  await site.sql.query('vacuum analyze organization');
  const organizationIds = Array.from(
    { length: asked },
    (_, n) => `organization-${String(1 + n * Math.floor(organizations / asked))}`,
  );
  const body = JSON.stringify({ data: { organizationIds } });
  const { headers } = site.tenant;
  return [
    {
      name: `organizations/get of ${String(asked)}`,
      connections: 50,
      steward: { url: `${site.api.url}/v2/organizations/get`, headers, body },
      floors: [
        {
          name: 'Koa + zod + pg, credentials and rows',
          target: { url: `${site.floor.url}/organizations`, headers, body },
          aim: atLeast(0.8),
        },
        {
          name: 'Koa + zod + pg, rows alone',
          target: { url: `${site.floor.url}/organizations/rows-only`, headers, body },
        },
      ],
    },
  ];
}

export function documentComparisons(site: Site): Comparison[] {
  return [1, 1_000].map((batch) =>
    writeComparison(site, {
      name: 'documents/add',
      path: '/v2/organizations/documents/add',
      floor: '/documents',
      batch,
      data: (ids) => ({
        organizationId,
        documents: ids.map((id) => ({ documentId: id, documentName: 'Quarterly plan' })),
      }),
    }),
  );
}

export function activityComparisons(site: Site): Comparison[] {
  return [1, 1_000].map((batch) =>
    writeComparison(site, {
      name: 'activities/add',
      path: '/v2/activities/add',
      floor: '/activities',
      batch,
      data: (ids) => ({ organizationId, documentId, activities: ids.map(comment) }),
    }),
  );
}

const actors = 50;

const comment = (id: string, index: number): object => ({
  id,
  featureType: 'comment',
  actionType: 'comment.add',
  actionUser: { userId: `user-${String(index % actors)}`, name: 'Ada Lovelace' },
  entityData: { text: 'Could you have another look at this paragraph?', page: index },
});

interface Write {
  readonly name: string;
  readonly path: string;
  readonly floor: string;
  readonly batch: number;
  readonly data: (ids: readonly string[]) => object;
}

function writeComparison(site: Site, { name, path, floor, batch, data }: Write): Comparison {
  const body = freshBodies(data, batch);
  const target = (url: string): Target => ({ url, headers: site.tenant.headers, body });
  return {
    name: `${name} of ${batch.toLocaleString('en-US')}`,
    connections: connectionsFor(batch),
    steward: target(`${site.api.url}${path}`),
    floors: [
      {
        name: 'Koa + zod + pg, one insert',
        target: target(`${site.floor.url}${floor}`),
        aim: atLeast(batch === 1 ? 0.5 : 0.6),
      },
    ],
  };
}

/** Serialised once; only the ids differ, so that making a body costs the load generator next to nothing. */
function freshBodies(data: Write['data'], batch: number): () => string {
  const mark = '~run~';
  const text = JSON.stringify({
    data: data(Array.from({ length: batch }, (_, n) => `${mark}-${String(n)}`)),
  });
  const run = `${String(batch)}-${Date.now().toString(36)}`;
  let number = 0;
  return () => {
    number += 1;
    return text.replaceAll(mark, `${run}-${String(number)}`);
  };
}
