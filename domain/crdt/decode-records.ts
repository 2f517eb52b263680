import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
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

/** Reads states and logs of records, by surrogate key, in one statement. Omits records that are deleted. */
export async function findBases(
  em: EntityManager,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CrdtBase>> {
  if (ids.length === 0) return new Map();
  const found = await rowsOf(
    em,
    BaseRow,
    sql`select ${baseColumns} from crdt c where c.api_key_id = ${tenant.id} and c.id = any(${ids})`,
  );
  return new Map(found.map((row) => [row.id, baseOf(row)]));
}

/**
 * Decodes a record whose decoded content is stale, and saves the result for the next reader. A record that cannot be
 * decoded, or not within the limits, keeps its last decoded content; an interrupted decoding throws UNAVAILABLE.
 * Undefined: it is deleted meanwhile.
 */
export async function decodeRecord(
  em: EntityManager,
  tenant: Tenant,
  decodedWriter: DecodedWriter,
  base: CrdtBase,
): Promise<Decoded | undefined> {
  const { type, contentKey, parts, ...of } = base;
  const response = await runYjs(tenant, { type, contentKey, base: parts, change: { kind: 'none' } });
  if (!('result' in response)) return lastDecoded(em, tenant, base.id);
  const content: DecodedContent = { tenantId: tenant.id, base: of, ...response.result };
  decodedWriter.add([content]);
  return { json: bufferOf(content.decoded), current: true };
}

async function lastDecoded(em: EntityManager, tenant: Tenant, id: string): Promise<Decoded | undefined> {
  const found = await tablesOf(em)
    .selectFrom('crdt')
    .select('decoded')
    .where('api_key_id', '=', tenant.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return found && { json: Buffer.from(found.decoded), current: false };
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
