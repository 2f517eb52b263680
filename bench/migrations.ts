import { setTimeout as pause } from 'node:timers/promises';
import { authenticateKey } from '../domain/credentials/authenticate.ts';
import { entities } from '../domain/entities.ts';
import { beginJob } from '../domain/jobs/job-steps.ts';
import { acceptMigration } from '../domain/migrations/accept-migration.ts';
import { flipDocument } from '../domain/migrations/flip-document.ts';
import { findMigration } from '../domain/migrations/active-migration.ts';
import { openDatabase } from '../platform/database/open-database.ts';
import { inTransaction, type Orm } from '../platform/database/orm.ts';
import { median, type Figure } from './figure.ts';
import type { Run } from './run.ts';
import type { Site } from './site.ts';
import { organizationId } from './tenant.ts';

interface Effort {
  /** Activity logs of each document. The first document is the baseline of the others. */
  readonly sizes: readonly number[];
  readonly flips: number;
  readonly migrations: number;
  /** Number of small documents that migrate concurrently. */
  readonly many: number;
}

const efforts = {
  full: { sizes: [1_000, 100_000, 1_000_000], flips: 21, migrations: 7, many: 200 },
  quick: { sizes: [1_000, 100_000], flips: 7, migrations: 3, many: 20 },
} as const satisfies Record<string, Effort>;

const label = (size: number): string =>
  size >= 1_000_000 ? `${String(size / 1_000_000)} M` : `${String(size / 1_000)} k`;

const documentOf = (size: number): string => `document-of-${String(size)}`;

/**
 * Migrates documents of several sizes in alternation: measures the flip's transaction alone, and the time from the
 * call to `completed`. Then migrates many concurrently.
 */
export async function measureMigrations(site: Site, { quick, show, signal }: Run): Promise<Figure[]> {
  const { sizes, flips, migrations, many } = quick ? efforts.quick : efforts.full;
  for (const size of sizes) {
    show(`Loading a document with ${label(size)} activity logs …`);
    await loadDocument(site, size);
  }
  await site.sql.query('vacuum analyze activity');
  await site.sql.query('checkpoint');
  show('Migrating them …');
  const database = openDatabase({
    url: site.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 60_000,
    plansOnce: false,
    entities,
  });
  try {
    const flipped = await inTurn(sizes, flips + 1, signal, (size, round) =>
      timeFlip(database.orm, site, namesOf(size, 'flipped', round)),
    );
    const moved = await inTurn(sizes, migrations + 1, signal, (size, round) =>
      timeMigration(site, namesOf(size, 'moved', round, flips)),
    );
    return [
      ...figures('the transaction of the flip', sizes, flipped, (size) =>
        size === sizes.at(-1) ? { of: 'ratio', is: 'at most', value: 1.3 } : undefined,
      ),
      ...figures('from call to completed', sizes, moved, () => ({
        of: 'measured',
        is: 'at most',
        value: 1_000,
      })),
      await moveMany(site, many),
    ];
  } finally {
    await database.close();
  }
}

/** Loads by SQL: writing through the API is measured elsewhere. */
async function loadDocument({ sql, tenant }: Site, size: number): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    'insert into document (api_key_id, org_id, ext_id, name) values ($1, $2, $3, $3) returning id',
    [tenant.id, tenant.organization, documentOf(size)],
  );
  await sql.query(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select $1, $2, $3::bigint, $3::bigint || '-' || n, 1760000000000 + n, 1, 'comment.add', $4, '\\x00',
       json_build_object('featureType', 'comment', 'actionType', 'comment.add', 'actionUser', json_build_object('userId', 'bench'),
         'entityData', json_build_object('text', 'Could you have another look at this paragraph?', 'page', n))
     from generate_series(1, $5::int) as n`,
    [tenant.id, tenant.organization, rows[0]?.id, tenant.user, size],
  );
}

export interface Names {
  readonly organizationId: string;
  readonly documentId: string;
  readonly newDocumentId: string;
}

/** Returns the ids of a round: each migration begins with the id that the one before has set. */
function namesOf(size: number, by: 'flipped' | 'moved', round: number, flips = 0): Names {
  const name = (way: string, number: number): string => `${documentOf(size)}-${way}-${String(number)}`;
  const first = by === 'flipped' ? documentOf(size) : name('flipped', flips);
  return {
    organizationId,
    documentId: round === 0 ? first : name(by, round - 1),
    newDocumentId: name(by, round),
  };
}

/** Returns the milliseconds of each round by size. The first round warms up and does not count. */
export async function inTurn(
  sizes: readonly number[],
  rounds: number,
  signal: AbortSignal,
  time: (size: number, round: number) => Promise<number>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) {
      signal.throwIfAborted();
      const took = await time(size, round);
      if (round > 0) times.get(size)?.push(took);
    }
  }
  return times;
}

/** Times the worker's own function on a prepared job, without a workflow. */
export async function timeFlip(
  orm: Orm,
  { tenant: { apiKey, authToken } }: Site,
  names: Names,
): Promise<number> {
  const em = orm.em.fork();
  const caller = await authenticateKey(em, { apiKey, authToken });
  if (caller === undefined) throw new Error('The API key of the benchmark is missing.');
  const { jobId } = await inTransaction(orm, (inside) => acceptMigration(inside, caller.tenant, names));
  if ((await beginJob(orm, jobId)) !== true) throw new Error(`${jobId} could not begin.`);
  const migration = await findMigration(em, jobId);
  if (migration === undefined) throw new Error(`${jobId} is missing.`);
  const began = performance.now();
  const moved = await flipDocument(orm, migration);
  const took = performance.now() - began;
  if (!moved) throw new Error(`${names.documentId} was not migrated.`);
  return took;
}

const betweenPolls = 5;

/** Times a migration until the caller reads `completed`. Then waits for the end of the workflow, so that the next run starts idle. */
async function timeMigration({ tenant: { steward } }: Site, names: Names): Promise<number> {
  const began = performance.now();
  const accepted = await steward.documents.migrate(names);
  const { migrationId } = accepted.data;
  let took: number | undefined;
  for (;;) {
    const { data } = await steward.documents.getMigrationStatus({
      organizationId,
      migrationId,
    });
    const { status, verified } = data;
    if (status === 'failed' || verified === false) throw new Error(`${migrationId} is ${status}.`);
    if (status === 'completed') took ??= performance.now() - began;
    if (took !== undefined && verified === true) return took;
    if (performance.now() - began > 60_000) throw new Error(`${migrationId} is still ${status}.`);
    await pause(betweenPolls);
  }
}

function figures(
  what: string,
  sizes: readonly number[],
  times: ReadonlyMap<number, readonly number[]>,
  target: (size: number) => Figure['target'],
): Figure[] {
  const [smallest = 0] = sizes;
  const ofSmallest = times.get(smallest) ?? [];
  return sizes.map((size) => {
    const took = times.get(size) ?? [];
    const aim = target(size);
    return {
      name: `migration of ${label(size)}: ${what}`,
      unit: 'ms',
      steward: median(took),
      ...(size !== smallest && {
        against: { name: `that of ${label(smallest)}`, measured: median(ofSmallest) },
        ratio: median(took) / median(ofSmallest),
      }),
      ...(aim !== undefined && { target: aim }),
    };
  });
}

/** Migrates many small documents concurrently. Returns the seconds until all are verified. */
export async function moveMany({ tenant: { steward }, sql }: Site, many: number): Promise<Figure> {
  const ids = Array.from({ length: many }, (_, n) => `one-of-${String(many)}-${String(n)}`);
  await steward.documents.add({
    organizationId,
    documents: ids.map((id) => ({ documentId: id })),
  });
  const began = performance.now();
  const accepted = await Promise.all(
    ids.map((id) =>
      steward.documents.migrate({
        organizationId,
        documentId: id,
        newDocumentId: `moved-${id}`,
      }),
    ),
  );
  for (;;) {
    const { rowCount } = await sql.query(
      'select from job j join migration m on m.job_id = j.id where j.public_id = any($1) and m.verified is null limit 1',
      [accepted.map(({ data }) => data.migrationId)],
    );
    const seconds = (performance.now() - began) / 1_000;
    if (rowCount === 0)
      return {
        name: `${String(many)} migrations requested concurrently: all verified`,
        unit: 's',
        steward: seconds,
      };
    if (seconds > 120) throw new Error('Migrations have not ended within two minutes.');
    await pause(20);
  }
}
