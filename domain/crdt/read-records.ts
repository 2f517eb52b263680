import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../platform/database/statements.ts';
import type { PageLimit } from '../page-limit.ts';
import { isVisible, type ResolvedDocument } from '../documents/resolve-document.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { decodeRecord, findBases, type Decoded } from './decode-records.ts';
import { ownBuffer } from './content-cache.ts';
import type { CrdtReads } from './crdt-reads.ts';
import type { CrdtRecord } from './record.ts';
import { baseOf, BaseRow, logOf } from './resolve-record.ts';

const RecordRow = z.strictObject({
  id: z.string(),
  editor_id: z.string(),
  /** Null when stale: see `decodeRecord`. */
  decoded: z.string().nullable(),
  last_update: z.date(),
  updated_by: z.string().nullable(),
  session_id: z.string().nullable(),
});
type RecordRow = z.infer<typeof RecordRow>;

const PageRow = RecordRow.extend({ position: z.string(), found: z.string(), fits: z.boolean() });

const isDecoded = sql<boolean>`c.decoded_version = c.version`;

/** SQL: the bytes read for a record `c`: its decoded content, or when stale its state and log. */
const readBytes = sql`case when ${isDecoded} then c.decoded_bytes else greatest(c.decoded_bytes,
  octet_length(c.state) + coalesce((select sum(octet_length(u.bytes)) from crdt_update u where u.crdt_id = c.id), 0)) end`;

/** With state and log when the content must be decoded. */
const FoundRow = RecordRow.extend({
  ...BaseRow.shape,
  /** Whether the cache of this process has this version. */
  known: z.boolean(),
  /** Within the byte limit. */
  fits: z.boolean(),
  state: BaseRow.shape.state.nullable(),
  log: BaseRow.shape.log.nullable(),
});

const columns = sql`c.id, c.editor_id, c.last_update, c.session_id,
  (select u.ext_id from app_user u where u.id = c.last_updated_by) as updated_by`;

/**
 * Reads the record of one editor in one statement; undefined when the record or its location is missing. A record over
 * `maxBytes` is not read.
 */
export async function findRecord(
  em: EntityManager,
  tenant: Tenant,
  reads: CrdtReads,
  location: { readonly organizationId: string; readonly documentId: string; readonly editorId: string },
  maxBytes: number,
): Promise<CrdtRecord | 'too-large' | undefined> {
  const { organizationId, documentId, editorId } = location;
  const key = JSON.stringify([tenant.id, organizationId, documentId, editorId]);
  const { cache, counts } = reads;
  const known = cache.get(key);
  const held = known?.decoded === undefined ? undefined : known;
  const found = await rowOf(
    em,
    FoundRow,
    sql`select ${columns}, c.version, s.known, s.fits, case when s.decoded and s.fits then c.decoded end as decoded, c.type,
        c.content_key, c.state_revision, c.state_codec,
        case when not s.known and not s.decoded and s.fits then c.state end as state,
        case when not s.known and not s.decoded and s.fits then ${logOf} end as log
      from organization o
      join document d on d.org_id = o.id and d.ext_id = ${documentId} and ${isVisible}
      join crdt c on c.document_id = d.id and c.editor_id = ${editorId} and c.api_key_id = ${tenant.id}
      cross join lateral (
        select coalesce(c.id = ${held?.id ?? null}::bigint and c.version = ${held?.version ?? null}::bigint, false) as known) k
      cross join lateral (select k.known, not k.known and ${isDecoded} as decoded,
        k.known or ${readBytes} <= ${maxBytes}::bigint as fits) s
      where o.api_key_id = ${tenant.id} and o.ext_id = ${organizationId}`,
  );
  if (found === undefined) return undefined;
  if (found.known && known?.decoded !== undefined) {
    counts.hits += 1;
    return recordOf(found, known.decoded);
  }
  counts.misses += 1;
  if (!found.fits) return 'too-large';
  const { id, version } = found;
  const readBefore = known?.id === id && known.version === version;
  const remember = (content: string | Buffer, again = readBefore): void => {
    cache.set(key, { id, version, decoded: again ? ownBuffer(content) : undefined });
  };
  if (found.decoded === null) {
    const decoded = await decodeFound(em, tenant, reads, found);
    // Deleted since it was found.
    if (decoded === undefined) return undefined;
    // Its size was not known before. The read with more room finds it in the cache.
    const exceeds = decoded.json.length > maxBytes;
    if (decoded.current) remember(decoded.json, readBefore || exceeds);
    return exceeds ? 'too-large' : recordOf(found, decoded.json);
  }
  remember(found.decoded);
  return recordOf(found, found.decoded);
}

async function decodeFound(
  em: EntityManager,
  tenant: Tenant,
  { decodedWriter }: CrdtReads,
  found: z.infer<typeof FoundRow>,
): Promise<Decoded | undefined> {
  const { state, log } = found;
  if (state === null || log === null) throw new Error('missing state or log of a stale record');
  return decodeRecord(em, tenant, decodedWriter, baseOf({ ...found, state, log }));
}

const recordOf = (found: RecordRow, data: CrdtRecord['data']): CrdtRecord => ({
  data,
  id: found.editor_id,
  lastUpdate: found.last_update.toISOString(),
  lastUpdatedBy: found.updated_by ?? '',
  sessionId: found.session_id,
});

/** A page of records with their content. */
export interface CrdtPage {
  readonly records: readonly CrdtRecord[];
  /** The next page starts after this editor; undefined at the end. */
  readonly next: string | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

/** Reads the records of a document, in the order of editor ids. */
export async function readRecords(
  em: EntityManager,
  tenant: Tenant,
  reads: CrdtReads,
  document: ResolvedDocument,
  { after, limit }: { readonly after: string; readonly limit: PageLimit },
): Promise<CrdtPage> {
  const { bytes, aloneBytes } = limit;
  const found = await rowsOf(
    em,
    PageRow,
    sql`with next as (
        select id, editor_id, 1024 + 2 * octet_length(editor_id) + ${readBytes} as bytes from crdt c
        where api_key_id = ${tenant.id} and document_id = ${document.id} and editor_id > ${after}
        order by editor_id limit ${limit.rows + 1}),
      sized as (
        select id, row_number() over (order by editor_id) as position, count(*) over () as found,
          sum(bytes) over (order by editor_id) as upto from next),
      page as (
        select id, position, found, upto <= ${bytes}::bigint or (position = 1 and upto <= ${aloneBytes}::bigint) as fits from sized
        where upto <= ${bytes}::bigint or position = 1)
      select ${columns}, case when ${isDecoded} and p.fits then c.decoded end as decoded, p.position, p.found, p.fits
      from page p cross join lateral (select * from crdt r where r.id = p.id limit 1) c order by c.editor_id`,
  );
  const page = found.filter(({ fits }) => fits).slice(0, limit.rows);
  const candidates = Number(found[0]?.found ?? 0);
  const { records, read } = await recordsOf(em, tenant, reads, page, limit);
  const more = candidates > read;
  return {
    records,
    next: more ? (page[read - 1]?.editor_id ?? after) : undefined,
    cut: read < Math.min(candidates, limit.rows),
  };
}

/**
 * Decodes the stale records of a page one after another, and ends the page at the byte limit: the size of their content was
 * not known to the statement. `read`: how many rows of the page it has read.
 */
async function recordsOf(
  em: EntityManager,
  tenant: Tenant,
  { decodedWriter }: CrdtReads,
  page: readonly RecordRow[],
  { bytes, aloneBytes }: Pick<PageLimit, 'bytes' | 'aloneBytes'>,
): Promise<{ readonly records: CrdtRecord[]; readonly read: number }> {
  const stale = page.filter(({ decoded }) => decoded === null).map(({ id }) => id);
  const bases = await findBases(em, tenant, stale);
  const records: CrdtRecord[] = [];
  let held = 0;
  for (const [read, record] of page.entries()) {
    const base = bases.get(record.id);
    const data = record.decoded ?? (base && (await decodeRecord(em, tenant, decodedWriter, base))?.json);
    // Deleted since it was found.
    if (data === undefined) continue;
    held += Buffer.byteLength(data);
    if (held > (records.length === 0 ? Math.max(bytes, aloneBytes) : bytes)) return { records, read };
    records.push(recordOf(record, data));
  }
  return { records, read: page.length };
}
