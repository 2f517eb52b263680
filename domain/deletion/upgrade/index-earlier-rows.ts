import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { jsonKinds } from '../../users/json-name.entity.ts';
import { blockBits, bounded } from '../../users/name-index.ts';
import { earlierTables, type EarlierTable } from './earlier-rows.ts';

/** Limits of one transaction: rows, and bytes of their JSON as stored. */
const chunk = { rows: 2_000, bytes: 4_194_304 } as const;

/** Delay between two checks while another worker indexes. */
const pollDelayMs = 250;

/**
 * Indexes the rows of an earlier release in short transactions; yields after each. Each stores its progress, so several
 * workers may index at once and stop at any time. Deletions wait for it: without the index they miss names in those
 * rows. Takes two statements when all rows are indexed.
 */
export async function* indexEarlierRows(orm: Orm): AsyncGenerator<void, void> {
  for (;;) {
    const stepped = await retryConflicts(async () => inTransaction(orm, indexNext));
    if (stepped === 'ended') return;
    yield;
    if (stepped === 'busy') await pause(pollDelayMs);
  }
}

/** Indexes the next rows. `busy`: other workers are indexing the remaining ones. */
async function indexNext(em: EntityManager): Promise<'indexed' | 'busy' | 'ended'> {
  const builds = tablesOf(em).selectFrom('json_name_build').where('ended_at', 'is', null).limit(sql.lit(1));
  const next = await builds
    .select(['kind', 'position'])
    .orderBy('kind')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (next === undefined) {
    const open = await builds.select('kind').executeTakeFirst();
    return open === undefined ? 'ended' : 'busy';
  }
  const table = earlierTables.find(({ kind }) => kind === next.kind);
  if (table === undefined) throw new Error(`unknown kind in json_name_build: ${String(next.kind)}`);
  const { found, position } = await read(em, table, next.position);
  await index(em, table, found);
  await sql`update json_name_build set position = coalesce(${position}, position),
    ended_at = case when ${position}::text is null then now() end where kind = ${table.kind}`.execute(
    tablesOf(em),
  );
  return 'indexed';
}

const EarlierRow = z.strictObject({
  tenant: z.string(),
  /** Set for a record; `at` and `endpoint` are set for an event or a response. */
  id: z.string().nullable(),
  at: z.string().nullable(),
  endpoint: z.string().nullable(),
  content: z.unknown(),
  own: z.array(z.string().nullable()).nullable(),
  position: z.array(z.string()),
  bytes: z.string(),
  nth: z.string(),
});
type EarlierRow = z.infer<typeof EarlierRow>;

/** Reads the next rows within the limits. `position` is null at the end. */
async function read(
  em: EntityManager,
  table: EarlierTable,
  after: string | null,
): Promise<{ readonly found: readonly EarlierRow[]; readonly position: string | null }> {
  const { order, own = sql`null` } = table;
  const content = sql.ref(`t.${table.content}`);
  const columns = sql.join(order.map(([column]) => sql.ref(`t.${column}`)));
  const texts = sql.join(order.map(([column]) => sql`${sql.ref(`t.${column}`)}::text`));
  const position = sql`${after === null ? null : (JSON.parse(after) as string[])}::text[]`;
  const bounds = sql.join(
    order.map(([, type], at) => sql`(${position})[${sql.lit(at + 1)}]::${sql.raw(type)}`),
  );
  const [id, at, endpoint] =
    'blocksOf' in table.index
      ? [sql`t.id`, sql`null::timestamptz`, sql`null`]
      : [sql`null`, sql`t.at`, table.index.endpoint];
  const found = await rowsOf(
    em,
    EarlierRow,
    sql`select * from (
       select t.api_key_id as tenant, ${id}::text as id, (${at})::text as at, (${endpoint})::text as endpoint, ${content} as content,
         ${own} as own, array[${texts}] as position,
         sum(coalesce(octet_length((${content})::text), 0)) over (order by ${columns} rows unbounded preceding) as bytes,
         row_number() over (order by ${columns}) as nth
       from (select * from ${sql.table(table.table)} t where ${position} is null or (${columns}) > (${bounds}) order by ${columns} limit ${sql.lit(chunk.rows)}) t
     ) t where t.bytes - coalesce(octet_length(t.content::text), 0) < ${sql.lit(chunk.bytes)} order by t.nth`,
  );
  const last = found.at(-1);
  return { found, position: last === undefined ? null : JSON.stringify(last.position) };
}

async function index(em: EntityManager, table: EarlierTable, found: readonly EarlierRow[]): Promise<void> {
  const named = found.map((earlier) => ({ ...earlier, ...table.namesOf(earlier.content) }));
  const pairs = named.flatMap(({ names, ...earlier }) =>
    bounded(names).map((name) => ({ ...earlier, name })),
  );
  const [tenants, texts] = [pairs.map(({ tenant }) => tenant), pairs.map(({ name }) => name)];
  if ('blocksOf' in table.index) {
    const kind = table.index.blocksOf;
    await sql`insert into json_name (api_key_id, kind, name_hash, block)
      select distinct t.tenant, ${sql.lit(jsonKinds[kind])}, hashtextextended(t.name, t.tenant), t.id >> ${sql.lit(blockBits[kind])}
      from unnest(${tenants}::bigint[], ${pairs.map(({ id }) => id)}::bigint[], ${texts}::text[]) as t (tenant, id, name)
      order by 1, 3, 4 on conflict do nothing`.execute(tablesOf(em));
  } else {
    await sql`insert into moment_name (api_key_id, endpoint_id, name_hash, at)
      select distinct t.tenant, t.endpoint, hashtextextended(t.name, t.tenant), date_trunc('second', t.at)
      from unnest(${tenants}::bigint[], ${pairs.map(({ endpoint }) => endpoint)}::bigint[],
        ${pairs.map(({ at }) => at)}::timestamptz[], ${texts}::text[]) as t (tenant, endpoint, at, name)
      order by 1, 3, 2, 4 on conflict do nothing`.execute(tablesOf(em));
  }
  await storeAddresses(em, table, named);
}

type NamedRow = EarlierRow & ReturnType<EarlierTable['namesOf']>;

/** Stores the addresses of users: those in the rows, and their own. */
async function storeAddresses(
  em: EntityManager,
  { kind }: EarlierTable,
  named: readonly NamedRow[],
): Promise<void> {
  const given = named.flatMap(({ tenant, addresses }) =>
    addresses.map(([userId, address]) => ({ tenant, userId, address: address.toLowerCase() })),
  );
  const own = named.flatMap(({ tenant, id, own: texts }) =>
    (texts ?? []).filter(isAddress).map((address) => ({ tenant, id, address: address.toLowerCase() })),
  );
  await sql`insert into user_address (api_key_id, address, user_id)
     select distinct * from (
       select t.tenant, t.address, t.id
         from unnest(${own.map(({ tenant }) => tenant)}::bigint[], ${own.map(({ address }) => address)}::text[],
           ${own.map(({ id }) => id)}::bigint[]) as t (tenant, address, id)
         cross join lateral (select from app_user u where u.id = t.id for key share of u) u
       union all
       select t.tenant, t.address, u.id
         from unnest(${given.map(({ tenant }) => tenant)}::bigint[], ${given.map(({ address }) => address)}::text[],
           ${given.map(({ userId }) => userId)}::text[]) as t (tenant, address, ext_id)
         cross join lateral (select u.id from app_user u where u.api_key_id = t.tenant and u.ext_id = t.ext_id offset 0) u) as a
     order by 1, 2, 3 on conflict do nothing`.execute(tablesOf(em));
  if (kind === jsonKinds.notification) await storeRecipientAddresses(em, named);
}

const isAddress = (text: string | null): text is string => text?.includes('@') === true;

/** Stores the addresses to which notifications were sent. */
async function storeRecipientAddresses(em: EntityManager, named: readonly NamedRow[]): Promise<void> {
  await sql`insert into user_address (api_key_id, address, user_id)
     select distinct u.api_key_id, lower(r.email), u.id from unnest(${named.map(({ id }) => id)}::bigint[]) as t (id)
       cross join lateral (select n.audience from notification n where n.id = t.id offset 0) n
       cross join lateral (
         select r.user_id, r.email from notification_recipient r where r.audience_id = n.audience and r.email like '%@%' offset 0) r
       cross join lateral (select u.api_key_id, u.id from app_user u where u.id = r.user_id offset 0) u
     order by 1, 2, 3 on conflict do nothing`.execute(tablesOf(em));
}
