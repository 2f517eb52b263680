import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { DecodedContent, DecodedKeeper } from './keep-decoded.ts';
import { baseColumns, baseOf, BaseRow, type CrdtBase } from './resolve-record.ts';
import { doInThread } from './yjs-threads.ts';

/** Content of a record. */
export interface Decoded {
  /** In UTF-8. */
  readonly json: Buffer;
  /** False where what was written last could not be decoded. */
  readonly current: boolean;
}

/** `decodeRecords` of records by their surrogate keys. */
export async function decodeRecordsById(
  em: EntityManager,
  tenant: Tenant,
  keeper: DecodedKeeper,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Decoded>> {
  if (ids.length === 0) return new Map();
  const found = await rowsOf(
    em,
    BaseRow,
    sql`select ${baseColumns} from crdt c where c.api_key_id = ${tenant.id} and c.id = any(${ids})`,
  );
  return decodeRecords(em, tenant, keeper, found.map(baseOf));
}

/**
 * The content, by surrogate key, of records that were written by several at once and not decoded since; it is kept
 * for the next reader. One that cannot be decoded within the limits is answered as it was decoded last.
 */
export async function decodeRecords(
  em: EntityManager,
  tenant: Tenant,
  keeper: DecodedKeeper,
  bases: readonly CrdtBase[],
): Promise<ReadonlyMap<string, Decoded>> {
  const results = await Promise.all(bases.map(async (base) => decode(tenant, base)));
  const contents = results.filter((content) => content !== undefined);
  keeper.add(contents);
  const decoded = new Map(
    contents.map((content) => [content.base.id, { json: bufferOf(content.decoded), current: true }]),
  );
  const failed = bases.map(({ id }) => id).filter((id) => !decoded.has(id));
  return new Map([...(await lastDecoded(em, tenant, failed)), ...decoded]);
}

async function decode(tenant: Tenant, base: CrdtBase): Promise<DecodedContent | undefined> {
  const { type, contentKey, parts, ...of } = base;
  const response = await doInThread(tenant, { type, contentKey, base: parts, change: { kind: 'none' } });
  return 'result' in response ? { tenantId: tenant.id, base: of, ...response.result } : undefined;
}

async function lastDecoded(
  em: EntityManager,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Decoded>> {
  if (ids.length === 0) return new Map();
  const found = await tablesOf(em)
    .selectFrom('crdt')
    .select(['id', 'decoded'])
    .where('api_key_id', '=', tenant.id)
    .where('id', '=', sql<string>`any(${ids})`)
    .execute();
  return new Map(found.map(({ id, decoded }) => [id, { json: Buffer.from(decoded), current: false }]));
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
