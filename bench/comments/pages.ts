import { comparing, type Comparison } from '../comparison.ts';
import { withoutIndexes } from '../large-table.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { load, makeLocations, threadTables, type ThreadsLocation } from './load.ts';

interface Location extends ThreadsLocation {
  readonly comments: number;
}

const commentsEach = 5;
const page = 100;

const label = (comments: number): string =>
  comments >= 1_000_000 ? `${String(comments / 1_000_000)} M` : `${String(comments / 1_000)} k`;

const locationOf = (comments: number): Location => ({
  comments,
  organizationId: `threads-of-${String(comments)}`,
  documentId: `threads-of-${String(comments)}`,
  userId: `writer-of-${String(comments)}`,
});

/** Compares a page of threads among 10 M comments with one among 10 k in the same tables. */
export const readAnnotations = comparing(async (site: Site, run: Run): Promise<Comparison[]> => {
  const [few, many] = [locationOf(10_000), locationOf(run.quick ? 200_000 : 10_000_000)];
  const key = await site.newKey();
  await makeLocations(key, [few, many]);
  const began = performance.now();
  await withoutIndexes(site.sql, threadTables, async () => {
    for (const location of [few, many]) {
      run.signal.throwIfAborted();
      run.show(`Loading ${label(location.comments)} comments …`);
      await load(site, key, {
        location,
        threads: location.comments / commentsEach,
        commentsEach,
        prefix: 't',
      });
    }
  });
  await site.sql.query('checkpoint');
  run.show(`Loaded in ${((performance.now() - began) / 1_000).toFixed(0)} s.`);
  const filters = {
    document: ({ documentId }: Location) => ({ documentId }),
    organization: () => ({}),
    user: ({ userId }: Location) => ({ userIds: [userId] }),
  };
  return Object.entries(filters).map(([by, filter]) => {
    const target = (location: Location) => ({
      url: `${site.api.url}/v2/commentannotations/get`,
      headers: key.headers,
      body: JSON.stringify({
        data: { organizationId: location.organizationId, ...filter(location), pageSize: page },
      }),
    });
    return {
      name: `commentannotations/get by ${by}, ${String(page)} among ${label(many.comments)} comments`,
      connections: 10,
      steward: target(many),
      against: [
        {
          name: `among ${label(few.comments)}`,
          target: target(few),
          by: 'steward',
          shownAs: 'times',
          aim: { of: 'ratio', is: 'at most', value: 1.3 },
        },
      ],
    };
  });
});
