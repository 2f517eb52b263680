import { comparing, type Comparison } from '../comparison.ts';
import type { Site } from '../site.ts';
import { load, makeLocations } from './load.ts';

const documents = 30;
const annotations = 1_000;
const organizationId = 'counted';
const userId = 'reader';

/** Compares count/get of 30 documents with 1,000 annotations each with its bare statement. */
export const countAnnotations = comparing(async (site: Site): Promise<Comparison[]> => {
  const key = await site.newKey();
  const locations = Array.from({ length: documents }, (_, n) => ({
    organizationId,
    documentId: `counted-${String(n)}`,
    userId,
  }));
  await makeLocations(key, locations);
  for (const location of locations)
    await load(site, key, { location, threads: annotations, commentsEach: 1, prefix: 't' });
  for (const { documentId } of locations.filter((_, n) => n % 2 === 0))
    await key.steward.commentAnnotations.viewed.set({ organizationId, documentId, userId });
  await site.sql.query('vacuum analyze thread, thread_view');
  const { rows } = await site.sql.query<{ organization: string; user: string }>(
    `select o.id as organization, u.id as "user" from organization o join app_user u on u.api_key_id = o.api_key_id and u.ext_id = $2
     where o.api_key_id = $1 and o.ext_id = $3`,
    [key.id, userId, organizationId],
  );
  const documentIds = locations.map(({ documentId }) => documentId);
  const { headers } = key;
  return [
    {
      name: `commentannotations/count/get of ${String(documents)} documents with 1,000 annotations each`,
      connections: 4,
      steward: {
        url: `${site.api.url}/v2/commentannotations/count/get`,
        headers,
        body: JSON.stringify({ data: { organizationId, userId, documentIds } }),
      },
      against: [
        {
          name: 'the bare statement',
          target: {
            url: `${site.floor.url}/annotation-counts`,
            headers,
            body: JSON.stringify({ ...rows[0], documentIds }),
          },
          shownAs: 'times',
          aim: { of: 'ratio', is: 'at most', value: 1.5 },
        },
      ],
    },
  ];
});
