import { entities } from '../../domain/entities.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { median } from '../figure.ts';
import { withoutIndexes } from '../large-table.ts';
import { inTurn, timeFlip } from '../migrations.ts';
import type { Bench } from '../run.ts';
import { documentId as tenantDocument, organizationId } from '../tenant.ts';
import { load, makeLocations, threadTables } from './load.ts';

const commentsEach = 100;
const userId = 'bench';

const documentOf = (comments: number): string => `comments-of-${String(comments)}`;

/** Compares the flip's transaction in migrations of a document with 1 M comments and one with 1 k. */
export const flipComments: Bench = async (site, { quick, show, signal }) => {
  const [few, many] = [1_000, quick ? 100_000 : 1_000_000] as const;
  const locations = [few, many].map((comments) => ({ comments, documentId: documentOf(comments) }));
  await makeLocations(site.tenant, [{ organizationId, documentId: tenantDocument, userId }]);
  await site.tenant.steward.documents.add({
    organizationId,
    documents: locations.map(({ documentId }) => ({ documentId })),
  });
  await withoutIndexes(site.sql, threadTables, async () => {
    for (const { comments, documentId } of locations) {
      show(`Loading a document with ${comments.toLocaleString('en-US')} comments …`);
      const location = { organizationId, documentId, userId };
      await load(site, site.tenant, {
        location,
        threads: comments / commentsEach,
        commentsEach,
        prefix: 't',
      });
    }
  });
  await site.sql.query('checkpoint');
  const database = openDatabase({
    url: site.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 60_000,
    plansOnce: false,
    entities,
  });
  try {
    const name = (size: number, round: number): string =>
      round === 0 ? documentOf(size) : `${documentOf(size)}-${String(round)}`;
    const times = await inTurn([few, many], quick ? 8 : 22, signal, (size, round) =>
      timeFlip(database.orm, site, {
        organizationId,
        documentId: name(size, round),
        newDocumentId: name(size, round + 1),
      }),
    );
    const [ofFew, ofMany] = [few, many].map((size) => median(times.get(size) ?? []));
    if (ofFew === undefined || ofMany === undefined) throw new Error('missing times of flips');
    return [
      {
        name: `migration of a document with ${many.toLocaleString('en-US')} comments: the transaction of the flip`,
        unit: 'ms',
        steward: ofMany,
        against: { name: 'that of 1,000', measured: ofFew },
        ratio: ofMany / ofFew,
        target: { of: 'ratio', is: 'at most', value: 1.3 },
      },
    ];
  } finally {
    await database.close();
  }
};
