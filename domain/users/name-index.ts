import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jsonKinds, type JsonKind } from './json-name.entity.ts';
import { nameOf, type NamedPeople } from './named-users.ts';

/**
 * Binary digits of a record's key within its block: what is looked through for a name is that many records. Large where keys of
 * one tenant follow each other closely and names repeat. Never changed: rows of the index were written by it.
 */
export const blockBits: Readonly<Record<JsonKind, number>> = {
  activity: 12,
  notification: 10,
  agentExecution: 6,
  organization: 0,
  folder: 6,
  document: 6,
  user: 6,
  webhookEndpoint: 0,
};

/** Stands for every name: of records that hold more names than are indexed. No id is empty. */
export const anyName = '';

/** Distinct names of a record that are indexed; one with more is looked through for everyone. */
const maxNames = 5_000;

const longestName = 1_000;

/** Distinct names, as the index knows them. What is too long for an id or an address is none. */
export function distinctNames(texts: Iterable<string>): string[] {
  const distinct = new Set<string>();
  for (const text of texts)
    if (text !== '' && Buffer.byteLength(text) <= longestName) distinct.add(nameOf(text));
  return [...distinct];
}

/** Names of one record, or of the records of one statement, as they go into the index. */
export const bounded = (names: readonly string[]): readonly string[] =>
  names.length > maxNames ? [anyName] : names;

/** Names of records whose people have no other index: their ids as well as keys. */
export const allNames = ({ userIds, keys }: Pick<NamedPeople, 'userIds' | 'keys'>): string[] =>
  distinctNames([...userIds, ...keys]);

/**
 * Writes down which blocks hold names. `pairs` selects `name` and the key of a record as `id`. Goes in the order of the index,
 * so that two writers never wait for each other in a ring.
 */
export const indexPairs = ({ id }: Pick<Tenant, 'id'>, kind: JsonKind, pairs: RawBuilder<unknown>) => sql`
  insert into json_name (api_key_id, kind, name_hash, block)
  select ${id}, ${sql.lit(jsonKinds[kind])}, p.hash, p.block
  from (
    select distinct hashtextextended(s.name, ${id}::bigint) as hash, s.id >> ${sql.lit(blockBits[kind])} as block
    from (${pairs}) s) p
  where not exists (
    select from json_name j
    where j.api_key_id = ${id} and j.kind = ${sql.lit(jsonKinds[kind])} and j.name_hash = p.hash and j.block = p.block)
  order by p.hash, p.block on conflict do nothing`;

/** A record, by its surrogate key, and the names in it. */
export interface NamedRecord {
  readonly id: string;
  readonly names: readonly string[];
}

/** Indexes names of records that were written in this transaction: one statement for all of them. */
export async function indexRecords(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  kind: JsonKind,
  records: readonly NamedRecord[],
): Promise<void> {
  const pairs = records.flatMap(({ id, names }) => bounded(names).map((name) => [id, name] as const));
  if (pairs.length === 0) return;
  const named = sql`select t.id, t.name
    from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, name]) => name)}::text[]) as t (id, name)`;
  await indexPairs(tenant, kind, named).execute(tablesOf(em));
}

/** A string of JSON with its quotation marks. One without an end matches too, or each mark within it would be tried as a start. */
const quoted = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gsu;

/** Names in what a receiver responded: every string of JSON in it, which need not be whole. */
export function namesInResponse(response: string): readonly string[] {
  const strings = (response.match(quoted) ?? []).map(unquoted);
  return bounded(distinctNames(strings));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text)).replaceAll('\0', '').toWellFormed();
  } catch {
    return '';
  }
}

/** What `moment_name` calls events; responses are called by their endpoint. */
export const eventMoments = '0';

/** Writes down in which seconds names stand in events, or in responses to an endpoint. `pairs` selects `name` and `at`. */
export const indexMoments = (tenantId: string, endpoint: string, pairs: RawBuilder<unknown>) => sql`
  insert into moment_name (api_key_id, endpoint_id, name_hash, at)
  select ${tenantId}, ${endpoint}, p.hash, p.at
  from (
    select distinct hashtextextended(s.name, ${tenantId}::bigint) as hash, date_trunc('second', s.at) as at
    from (${pairs}) s) p
  where not exists (
    select from moment_name m
    where m.api_key_id = ${tenantId} and m.endpoint_id = ${endpoint} and m.name_hash = p.hash and m.at = p.at)
  order by p.hash, p.at on conflict do nothing`;
