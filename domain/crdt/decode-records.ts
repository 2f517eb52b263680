import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOfIds, rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { DecodedContent, DecodedWriter } from './write-decoded.ts';
import { baseColumns, baseOf, BaseRow, type CrdtBase } from './resolve-record.ts';
import { runYjs } from './run-yjs.ts';

/** The content of a record. */
export interface Decoded {
  /** UTF-8. */
  readonly json: Buffer;
  /** False when the last write could not be decoded. */
  readonly current: boolean;
}

/** `decodeRecords` by surrogate key. */
export async function decodeRecordsById(
  em: EntityManager,
  tenant: Tenant,
  decodedWriter: DecodedWriter,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Decoded>> {
  if (ids.length === 0) return new Map();
  const found = await rowsOf(
    em,
    BaseRow,
    sql`select ${baseColumns} from crdt c where c.api_key_id = ${tenant.id} and c.id = any(${ids})`,
  );
  return decodeRecords(em, tenant, decodedWriter, found.map(baseOf));
}

/**
 * Decodes records whose decoded content is stale, and saves the result for the next reader. Returns the content by
 * surrogate key. A record that cannot be decoded within the limits keeps its last decoded content.
 */
export async function decodeRecords(
  em: EntityManager,
  tenant: Tenant,
  decodedWriter: DecodedWriter,
  bases: readonly CrdtBase[],
): Promise<ReadonlyMap<string, Decoded>> {
  const results = await Promise.all(bases.map(async (base) => decode(tenant, base)));
  const contents = results.filter((content) => content !== undefined);
  decodedWriter.add(contents);
  const decoded = new Map(
    contents.map((content) => [content.base.id, { json: bufferOf(content.decoded), current: true }]),
  );
  const failed = bases.map(({ id }) => id).filter((id) => !decoded.has(id));
  return new Map([...(await lastDecoded(em, tenant, failed)), ...decoded]);
}

async function decode(tenant: Tenant, base: CrdtBase): Promise<DecodedContent | undefined> {
  const { type, contentKey, parts, ...of } = base;
  const response = await runYjs(tenant, { type, contentKey, base: parts, change: { kind: 'none' } });
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
    .where('id', '=', anyOfIds(ids))
    .execute();
  return new Map(found.map(({ id, decoded }) => [id, { json: Buffer.from(decoded), current: false }]));
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
