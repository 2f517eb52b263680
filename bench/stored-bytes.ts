import type { Figure } from './figure.ts';
import type { Run } from './run.ts';
import type { Site } from './site.ts';
import type { BenchKey } from './tenant.ts';
import { activities, newTenant } from './webhooks/tenant.ts';
import type { Receiving } from './webhooks/receiving.ts';

/** Writes `number` rows whose ids begin at `first`. */
type Write = (key: BenchKey, first: number, number: number) => Promise<unknown>;

const organizationId = 'bench';
const documentId = 'bench';
const named = (kind: string, first: number, number: number): string[] =>
  Array.from({ length: number }, (_, n) => `${kind}-${String(first + n)}`);

/** Calls that write rows, by the kind of row. */
const writes: Readonly<Record<string, Write>> = {
  organization: async ({ steward }, first, number) =>
    await steward.organizations.add({
      organizations: named('organization', first, number).map((id) => ({
        organizationId: id,
        organizationName: 'Analytical Engines',
      })),
    }),
  document: async ({ steward }, first, number) =>
    await steward.documents.add({
      organizationId,
      documents: named('document', first, number).map((id) => ({
        documentId: id,
        documentName: 'Quarterly plan',
      })),
    }),
  'user of an organization': async ({ steward }, first, number) =>
    await steward.users.add({
      organizationId,
      users: named('user', first, number).map((id) => ({
        userId: id,
        name: 'Ada Lovelace',
        email: `${id}@example.com`,
      })),
    }),
  'activity log of 290 characters': async ({ steward }, first, number) =>
    await steward.activities.add({
      organizationId,
      documentId,
      activities: activities('record', first, number),
    }),
};

const batch = 1_000;

/**
 * Measures the bytes that PostgreSQL stores for a row of each kind, including indexes and all other rows that the
 * call writes. docs/scaling.md calculates with them.
 */
export async function measureStoredBytes(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const rows = run.quick ? 5_000 : 50_000;
  const figures: Figure[] = [];
  const quiet = await newTenant(site, []);
  for (const [kind, write] of Object.entries(writes)) {
    figures.push({
      name: `stored bytes of ${kind}`,
      unit: 'bytes',
      steward: await bytesOf(site, rows, async (first) => await write(quiet, first, batch)),
    });
  }
  const listening = await newTenant(site, [{ url: receiver.url }]);
  const before = figures.at(-1)?.steward ?? 0;
  await receiver.command('forget');
  const withEvent = await bytesOf(site, rows, async (first) => {
    const write = writes['activity log of 290 characters'];
    await write?.(listening, first, batch);
    if (first + batch === rows) await receiver.until(rows, 300, run.signal);
  });
  figures.push({
    name: 'stored bytes of an event, delivered to one endpoint',
    unit: 'bytes',
    steward: withEvent - before,
  });
  return figures;
}

async function bytesOf(
  site: Site,
  rows: number,
  write: (first: number) => Promise<unknown>,
): Promise<number> {
  // The first rows allocate the first pages of tables and indexes.
  for (let first = -batch; first < 0; first += batch) await write(rows * 2 + first);
  const before = await storedBytes(site);
  for (let first = 0; first < rows; first += batch) await write(first);
  return ((await storedBytes(site)) - before) / rows;
}

/** Returns the bytes of heap, indexes and large values of all tables. */
async function storedBytes({ sql }: Site): Promise<number> {
  const { rows } = await sql.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid))::text as bytes from pg_class
     where relkind in ('r', 'm') and relnamespace = 'public'::regnamespace`,
  );
  return Number(rows[0]?.bytes);
}
