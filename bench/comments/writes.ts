import { comparing, type Comparison } from '../comparison.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId } from '../tenant.ts';
import { load, makeLocations } from './load.ts';

const location = { organizationId, documentId };
const threads = 2_000;
/** A thread holds up to 1,000 comments, so all callers switch to the next thread after this number of calls. */
const callsPerThread = 900;
const writers = 50;

const writerOf = (at: number): string => `user-${String(at % writers)}`;
const from = (at: number): object => ({ userId: writerOf(at), name: 'Ada Lovelace' });
const commentText = 'Could you have another look at this paragraph?';

/** Compares adding annotations in batches, and comments to many threads and to one, with the bare statements. */
export const writeComments = comparing(async (site: Site): Promise<Comparison[]> => {
  const at = { ...location, userId: 'bench' };
  await makeLocations(site.tenant, [at]);
  const users = Array.from({ length: writers }, (_, n) => ({ userId: writerOf(n) }));
  await site.tenant.steward.users.add({ organizationId, users });
  for (const prefix of ['steward-', 'floor-', 'steward-hot-', 'floor-hot-'])
    await load(site, site.tenant, { location: at, threads, commentsEach: 1, prefix });
  await site.sql.query('vacuum analyze thread, comment, thread_person');
  return [
    ...[1, 1_000].map((batch) => ({
      name: `commentannotations/add of ${batch.toLocaleString('en-US')}`,
      connections: batch === 1 ? writers : 10,
      steward: target(site, `${site.api.url}/v2/commentannotations/add`, annotationsOf(batch, 's')),
      against: [
        {
          name: 'Koa + zod + pg, one statement',
          target: target(site, `${site.floor.url}/annotations`, annotationsOf(batch, 'f')),
          aim: { of: 'ratio', is: 'at least', value: batch === 1 ? 0.5 : 0.6 } as const,
        },
      ],
    })),
    commentComparison(site, 'comments/add of 1', 0.5, (who) => {
      let next = 0;
      return () => `${who}-${String(((next += 1) % threads) + 1)}`;
    }),
    commentComparison(site, 'comments/add of 1 to one thread by 50 callers', 0.4, (who) => {
      let next = 0;
      return () => `${who}-hot-${String(Math.floor((next += 1) / callsPerThread) + 1)}`;
    }),
  ];
});

const target = ({ tenant }: Site, url: string, body: () => string) => ({
  url,
  headers: tenant.headers,
  body,
});

function commentComparison(
  site: Site,
  name: string,
  minRatio: number,
  threadOf: (who: string) => () => string,
): Comparison {
  const body = (who: string): (() => string) => {
    const next = threadOf(who);
    let count = 0;
    return () => {
      count += 1;
      const commentData = [{ from: from(count), commentText }];
      return JSON.stringify({ data: { ...location, annotationId: next(), commentData } });
    };
  };
  return {
    name,
    connections: writers,
    steward: target(site, `${site.api.url}/v2/commentannotations/comments/add`, body('steward')),
    against: [
      {
        name: 'Koa + zod + pg, the same thread row',
        target: target(site, `${site.floor.url}/comments`, body('floor')),
        aim: { of: 'ratio', is: 'at least', value: minRatio },
      },
    ],
  };
}

/** Serialized once: only the ids differ, so that the load generator spends little CPU time on a body. */
function annotationsOf(batch: number, who: string): () => string {
  const mark = '~run~';
  const commentAnnotations = Array.from({ length: batch }, (_, n) => ({
    annotationId: `${mark}-${String(n)}`,
    location: { id: n % 20, locationName: 'Paragraph' },
    commentData: [{ from: from(n), commentText }],
  }));
  const text = JSON.stringify({ data: { ...location, commentAnnotations } });
  const run = `${who}-${String(batch)}-${Date.now().toString(36)}`;
  let number = 0;
  return () => {
    number += 1;
    return text.replaceAll(mark, `${run}-${String(number)}`);
  };
}
