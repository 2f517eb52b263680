import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { fitsId } from '../id-size.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jsonKinds, type JsonKind } from './json-name.entity.ts';
import { nameOf, type NamedPeople } from './named-users.ts';

/**
 * Bits of a record's key within its block: a search for a name reads blocks of 2^bits records. Large for kinds whose keys
 * are dense and whose names repeat. Never change a value: it would invalidate the index rows.
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
  recording: 6,
  thread: 8,
  comment: 10,
};

/** Matches every name: indexed for records with more than `maxNames` names. No id is empty. */
export const anyName = '';

/** Max distinct names indexed per record. A search for any name reads records with more. */
const maxNames = 5_000;

/** Whether a text can be an id or an address: neither is empty or has more than 1,000 bytes. */
const canBeName = (text: string): boolean => text !== '' && fitsId(text);

/** Distinct texts that can be ids or addresses, as sent. */
export const distinctTexts = (texts: Iterable<string>): string[] =>
  [...(texts instanceof Set ? (texts as ReadonlySet<string>) : new Set(texts))].filter(canBeName);

/** Distinct names in index form. Skips texts that cannot be ids or addresses. */
export function distinctNames(texts: Iterable<string>): string[] {
  const names: string[] = [];
  let isDistinct = texts instanceof Set;
  for (const text of texts) {
    if (!canBeName(text)) continue;
    const name = nameOf(text);
    isDistinct &&= name === text;
    names.push(name);
  }
  return isDistinct ? names : [...new Set(names)];
}

/** Names to index for one record or one statement: `anyName` if they exceed the limit. */
export const bounded = (names: readonly string[]): readonly string[] =>
  names.length > maxNames ? [anyName] : names;

/** All names of a record whose user ids have no other index. */
export const allNames = ({ userIds, keys }: Pick<NamedPeople, 'userIds' | 'keys'>): string[] =>
  distinctNames([...userIds, ...keys]);

/**
 * SQL: indexes which blocks hold names. `pairs` selects `name` and the key of a record as `id`. Writes in index order, so
 * that concurrent writers do not deadlock.
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

/** A record by its surrogate key, and its names. */
export interface NamedRecord {
  readonly id: string;
  readonly names: readonly string[];
}

/** Indexes names of records that this transaction has written, in one statement. */
export async function indexRecords(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  kind: JsonKind,
  records: readonly NamedRecord[],
): Promise<void> {
  const pairs = pairsOfBlocks(kind, records);
  if (pairs.length === 0) return;
  const named = sql`select t.id, t.name
    from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, name]) => name)}::text[]) as t (id, name)`;
  await indexPairs(tenant, kind, named).execute(tablesOf(em));
}

/** One record of each block with each name: the records of a batch lie in few blocks and have the same names. */
function pairsOfBlocks(
  kind: JsonKind,
  records: readonly NamedRecord[],
): (readonly [id: string, name: string])[] {
  const bits = BigInt(blockBits[kind]);
  const pairs = new Map<string, readonly [string, string]>();
  for (const { id, names } of records) {
    if (names.length === 0) continue;
    const block = BigInt(id) >> bits;
    for (const name of bounded(names)) pairs.set(`${String(block)} ${name}`, [id, name]);
  }
  return [...pairs.values()];
}

/** A quoted JSON string. Also matches an unterminated one, which keeps the search linear. */
const quoted = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gsu;

/** Every JSON string in a receiver's response, each of which may be an id or an address. The response may be truncated. */
export const textsInResponse = (response: string): string[] => (response.match(quoted) ?? []).map(unquoted);

/** Names in a receiver's response. */
export const namesInResponse = (response: string): readonly string[] =>
  bounded(distinctNames(textsInResponse(response)));

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text)).replaceAll('\0', '').toWellFormed();
  } catch {
    return '';
  }
}

/** `endpointId` of events in `moment_name`. */
export const eventMoments = '0';

/** SQL: indexes in which seconds events, or responses of an endpoint, hold names. `pairs` selects `name` and `at`. */
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
