import type { Comparison } from './comparison.ts';
import type { Target } from './load.ts';
import type { Site } from './site.ts';
import { documentId, organizationId } from './tenant.ts';

/** Connections of a load: many callers with one record each, fewer with large batches, which the database connections limit. */
const connectionsFor = (batch: number): number => (batch === 1 ? 50 : 10);

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
    against: [
      {
        name: 'Koa + zod + pg, one insert',
        target: target(`${site.floor.url}${floor}`),
        aim: { of: 'ratio', is: 'at least', value: batch === 1 ? 0.9 : 0.6 },
      },
    ],
  };
}

/** Serialized once: only the ids differ, so that the load generator spends little CPU time on a body. */
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
