import { setTimeout as pause } from 'node:timers/promises';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { row, rows } from '../../../platform/database/sql.ts';
import { jsonKinds } from '../../users/json-name.entity.ts';
import { blockBits, bounded } from '../../users/name-index.ts';
import { earlierTables, type EarlierTable } from './earlier-rows.ts';

/** What one transaction reads: rows, and stored bytes of their JSON. */
const chunk = { rows: 2_000, bytes: 4_194_304 } as const;

/** Milliseconds until one looks again whether another worker has gone on. */
const betweenLooks = 250;

/** By database. What has ended never begins again. */
const ended = new WeakSet<object>();

/**
 * Indexes rows that an earlier release wrote, a short transaction a step, and ends when all are; yields between two steps. How far
 * it came is written with what it did: workers take turns, and may stop anywhere. Deletions wait for its end, for without the index
 * they would not find what those rows say. At once over where nothing is left to index.
 */
export async function* indexEarlierRows(orm: Orm): AsyncGenerator<void, void> {
  const driver = orm.em.getDriver();
  while (!ended.has(driver)) {
    const stepped = await step(orm);
    if (stepped === 'ended') ended.add(driver);
    else {
      yield;
      if (stepped === 'busy') await pause(betweenLooks);
    }
  }
}

/** `busy`: another worker indexes the rest, or was in the way. */
async function step(orm: Orm): Promise<'indexed' | 'busy' | 'ended'> {
  try {
    return await inTransaction(orm, indexNext);
  } catch (error) {
    if (classifyDatabaseError(error) !== 'conflict') throw error;
    return 'busy';
  }
}

async function indexNext(em: EntityManager): Promise<'indexed' | 'busy' | 'ended'> {
  const next = await row<{ kind: number; position: string | null }>(
    em,
    'select kind, position from json_name_build where ended_at is null order by kind limit 1 for update skip locked',
  );
  if (next === undefined) {
    const open = await row(em, 'select from json_name_build where ended_at is null limit 1');
    return open === undefined ? 'ended' : 'busy';
  }
  const table = earlierTables.find(({ kind }) => kind === next.kind);
  if (table === undefined) throw new Error(`unknown kind of earlier rows: ${String(next.kind)}`);
  const { found, position } = await read(em, table, next.position);
  await index(em, table, found);
  await rows(
    em,
    `update json_name_build set position = coalesce($2, position), ended_at = case when $2::text is null then now() end where kind = $1`,
    [table.kind, position],
  );
  return 'indexed';
}

interface EarlierRow {
  readonly tenant: string;
  /** Of a record; null of an event. */
  readonly id: string;
  readonly at: string;
  readonly endpoint: string;
  readonly content: unknown;
  readonly own: readonly string[] | null;
  readonly position: readonly string[];
  readonly bytes: number;
}

/** The next rows, no more than a worker easily holds. `position` is null at the end. */
async function read(
  em: EntityManager,
  table: EarlierTable,
  after: string | null,
): Promise<{ readonly found: readonly EarlierRow[]; readonly position: string | null }> {
  const { order, content, own = 'null' } = table;
  const columns = order.map(([column]) => `t.${column}`).join(', ');
  const texts = order.map(([column]) => `t.${column}::text`).join(', ');
  const bounds = order.map(([, type], at) => `($1::text[])[${String(at + 1)}]::${type}`).join(', ');
  const [at, endpoint] =
    'blocksOf' in table.index ? ['null::timestamptz', 'null'] : ['t.at', table.index.endpoint];
  const id = 'blocksOf' in table.index ? 't.id' : 'null';
  const found = await rows<EarlierRow>(
    em,
    `select * from (
       select t.api_key_id as tenant, ${id}::text as id, (${at})::text as at, (${endpoint})::text as endpoint, ${content} as content,
         ${own} as own, array[${texts}] as position,
         sum(coalesce(pg_column_size(${content}), 0)) over (order by ${columns} rows unbounded preceding) as bytes,
         row_number() over (order by ${columns}) as nth
       from (select * from ${table.table} t where $1::text[] is null or (${columns}) > (${bounds}) order by ${columns} limit ${String(chunk.rows)}) t
     ) t where t.bytes - coalesce(pg_column_size(t.content), 0) < ${String(chunk.bytes)} order by t.nth`,
    [after === null ? null : JSON.parse(after)],
  );
  const last = found.at(-1);
  return { found, position: last === undefined ? null : JSON.stringify(last.position) };
}

async function index(em: EntityManager, table: EarlierTable, found: readonly EarlierRow[]): Promise<void> {
  const named = found.map((earlier) => ({ ...earlier, ...table.namesOf(earlier.content) }));
  const pairs = named.flatMap(({ names, ...earlier }) =>
    bounded(names).map((name) => ({ ...earlier, name })),
  );
  if ('blocksOf' in table.index) {
    const kind = table.index.blocksOf;
    await rows(
      em,
      `insert into json_name (api_key_id, kind, name_hash, block)
       select distinct t.tenant, ${String(jsonKinds[kind])}, hashtextextended(t.name, t.tenant), t.id >> ${String(blockBits[kind])}
       from unnest($1::bigint[], $2::bigint[], $3::text[]) as t (tenant, id, name)
       order by 1, 3, 4 on conflict do nothing`,
      [pairs.map(({ tenant }) => tenant), pairs.map(({ id }) => id), pairs.map(({ name }) => name)],
    );
  } else {
    await rows(
      em,
      `insert into moment_name (api_key_id, endpoint_id, name_hash, at)
       select distinct t.tenant, t.endpoint, hashtextextended(t.name, t.tenant), date_trunc('second', t.at)
       from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[]) as t (tenant, endpoint, at, name)
       order by 1, 3, 2, 4 on conflict do nothing`,
      [
        pairs.map(({ tenant }) => tenant),
        pairs.map(({ endpoint }) => endpoint),
        pairs.map(({ at }) => at),
        pairs.map(({ name }) => name),
      ],
    );
  }
  await learn(em, table, named);
}

type NamedRow = EarlierRow & ReturnType<EarlierTable['namesOf']>;

/** Addresses that rows give for users, and those of users themselves. */
async function learn(em: EntityManager, { kind }: EarlierTable, named: readonly NamedRow[]): Promise<void> {
  const given = named.flatMap(({ tenant, addresses }) =>
    addresses.map(([userId, address]) => ({ tenant, userId, address: address.toLowerCase() })),
  );
  const own = named.flatMap(({ tenant, id, own: texts }) =>
    (texts ?? []).filter(isAddress).map((address) => ({ tenant, id, address: address.toLowerCase() })),
  );
  await rows(
    em,
    `insert into user_address (api_key_id, address, user_id)
     select distinct * from (
       select t.tenant, t.address, t.id from unnest($1::bigint[], $2::text[], $3::bigint[]) as t (tenant, address, id)
         cross join lateral (select from app_user u where u.id = t.id for key share of u) u
       union all
       select t.tenant, t.address, u.id from unnest($4::bigint[], $5::text[], $6::text[]) as t (tenant, address, ext_id)
         cross join lateral (select u.id from app_user u where u.api_key_id = t.tenant and u.ext_id = t.ext_id offset 0) u) as a
     order by 1, 2, 3 on conflict do nothing`,
    [
      own.map(({ tenant }) => tenant),
      own.map(({ address }) => address),
      own.map(({ id }) => id),
      given.map(({ tenant }) => tenant),
      given.map(({ address }) => address),
      given.map(({ userId }) => userId),
    ],
  );
  if (kind === jsonKinds.notification) await learnOfRecipients(em, named);
}

const isAddress = (text: string | null): text is string => text?.includes('@') === true;

/** Addresses with which recipients of notifications were sent. */
async function learnOfRecipients(em: EntityManager, named: readonly NamedRow[]): Promise<void> {
  await rows(
    em,
    `insert into user_address (api_key_id, address, user_id)
     select distinct u.api_key_id, lower(r.email), u.id from unnest($1::bigint[]) as t (id)
       cross join lateral (select n.audience from notification n where n.id = t.id offset 0) n
       cross join lateral (
         select r.user_id, r.email from notification_recipient r where r.audience_id = n.audience and r.email like '%@%' offset 0) r
       cross join lateral (select u.api_key_id, u.id from app_user u where u.id = r.user_id offset 0) u
     order by 1, 2, 3 on conflict do nothing`,
    [named.map(({ id }) => id)],
  );
}
