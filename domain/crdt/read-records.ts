import type { PageLimit } from '../page-limit.ts';
import { visibleDocument, type ResolvedDocument } from '../documents/resolve-document.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { decodeRecords, decodeRecordsById, type Decoded } from './decode-records.ts';
import { knownContents } from './known-contents.ts';
import type { CrdtRecord } from './record.ts';
import { baseOf, logOf } from './resolve-record.ts';
import type { Codec } from './stored-bytes.ts';

interface RecordRow {
  readonly id: string;
  readonly editor_id: string;
  /** Null of what was written since: see `decodeRecords`. */
  readonly decoded: string | null;
  readonly last_update: Date;
  readonly updated_by: string | null;
  readonly session_id: string | null;
}

interface PageRow extends RecordRow {
  readonly place: string;
  readonly found: string;
  readonly fits: boolean;
}

/** SQL: bytes that a record `c` costs to read: of its content, or where it has to be decoded of what that is made of. */
const weightOf = (
  current: string,
): string => `case when ${current} then c.decoded_bytes else greatest(c.decoded_bytes,
  octet_length(c.state) + coalesce((select sum(octet_length(u.bytes)) from crdt_update u where u.crdt_id = c.id), 0)) end`;

/** With the bytes that the content is made of, where it has to be decoded. */
interface FoundRow extends RecordRow {
  readonly version: string;
  /** This process has its content already. */
  readonly known: boolean;
  /** Its content may be read. */
  readonly fits: boolean;
  readonly type: number;
  readonly content_key: string;
  readonly state_revision: string;
  readonly state_codec: Codec;
  readonly state: Buffer | null;
  readonly log: readonly Buffer[] | null;
}

const columns = `c.id, c.editor_id, c.last_update, c.session_id,
  (select u.ext_id from app_user u where u.id = c.last_updated_by) as updated_by`;

/**
 * The record of one editor and where it is, all in one statement; undefined when any of them is not there. One that costs
 * more than `maxBytes` bytes is not read.
 */
export async function findRecord(
  em: EntityManager,
  tenant: Tenant,
  place: { readonly organizationId: string; readonly documentId: string; readonly editorId: string },
  maxBytes: number,
): Promise<CrdtRecord | 'too-large' | undefined> {
  const way = [tenant.id, place.organizationId, place.documentId, place.editorId];
  const key = JSON.stringify(way);
  const contents = knownContents(em);
  const known = contents.get(key);
  const found = await row<FoundRow>(
    em,
    `select ${columns}, c.version, s.known, s.fits, case when s.decoded and s.fits then c.decoded end as decoded, c.type, c.content_key, c.state_revision, c.state_codec,
       case when not s.known and not s.decoded and s.fits then c.state end as state,
       case when not s.known and not s.decoded and s.fits then ${logOf} end as log
     from organization o
     join document d on d.org_id = o.id and d.ext_id = $3 and ${visibleDocument}
     join crdt c on c.document_id = d.id and c.editor_id = $4 and c.api_key_id = $1
     cross join lateral (select coalesce(c.id = $5::bigint and c.version = $6::bigint, false) as known) k
     cross join lateral (select k.known, not k.known and c.decoded_version = c.version as decoded,
       k.known or ${weightOf('c.decoded_version = c.version')} <= $7::bigint as fits) s
     where o.api_key_id = $1 and o.ext_id = $2`,
    [...way, ...(known?.decoded === undefined ? [null, null] : [known.id, known.version]), maxBytes],
  );
  if (found === undefined) return undefined;
  if (found.known && known?.decoded !== undefined) return recordOf(found, known.decoded);
  if (!found.fits) return 'too-large';
  const { id, version } = found;
  if (found.decoded === null) {
    const decoded = await decodeFound(em, tenant, found);
    // It was deleted meanwhile.
    if (decoded === undefined) return undefined;
    if (decoded.current) contents.set(key, { id, version, decoded: decoded.json });
    return recordOf(found, decoded.json);
  }
  const again = known?.id === id && known.version === version;
  contents.set(key, {
    id,
    version,
    decoded: again ? Buffer.from(found.decoded) : undefined,
  });
  return recordOf(found, found.decoded);
}

async function decodeFound(em: EntityManager, tenant: Tenant, found: FoundRow): Promise<Decoded | undefined> {
  const { state, log } = found;
  if (state === null || log === null) throw new Error('A record was answered without its content.');
  const decoded = await decodeRecords(em, tenant, [baseOf({ ...found, state, log })]);
  return decoded.get(found.id);
}

const recordOf = (found: RecordRow, data: CrdtRecord['data']): CrdtRecord => ({
  data,
  id: found.editor_id,
  lastUpdate: found.last_update.toISOString(),
  lastUpdatedBy: found.updated_by ?? '',
  sessionId: found.session_id,
});

export interface CrdtPage {
  readonly records: readonly CrdtRecord[];
  /** The editor behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** Records of a document by editor. */
export async function readRecords(
  em: EntityManager,
  tenant: Tenant,
  document: ResolvedDocument,
  { after, limit }: { readonly after: string; readonly limit: PageLimit },
): Promise<CrdtPage> {
  const found = await rows<PageRow>(
    em,
    `with next as (
       select id, editor_id, 1024 + 2 * octet_length(editor_id) + ${weightOf('c.decoded_version = c.version')} as bytes from crdt c
       where api_key_id = $1 and document_id = $2 and editor_id > $3 order by editor_id limit $4),
     sized as (
       select id, row_number() over (order by editor_id) as place, count(*) over () as found,
         sum(bytes) over (order by editor_id) as upto from next),
     page as (
       select id, place, found, upto <= $5::bigint or (place = 1 and upto <= $6::bigint) as fits from sized
       where upto <= $5::bigint or place = 1)
     select ${columns}, case when c.decoded_version = c.version and p.fits then c.decoded end as decoded, p.place, p.found, p.fits
     from page p cross join lateral (select * from crdt r where r.id = p.id limit 1) c order by c.editor_id`,
    [tenant.id, document.id, after, limit.rows + 1, limit.bytes, limit.aloneBytes],
  );
  const page = found.filter(({ fits }) => fits).slice(0, limit.rows);
  const candidates = Number(found[0]?.found ?? 0);
  const more = candidates > page.length;
  return {
    records: await recordsOf(em, tenant, page),
    next: more ? (page.at(-1)?.editor_id ?? after) : undefined,
    cut: page.length < Math.min(candidates, limit.rows),
  };
}

async function recordsOf(
  em: EntityManager,
  tenant: Tenant,
  found: readonly RecordRow[],
): Promise<CrdtRecord[]> {
  const stale = found.filter(({ decoded }) => decoded === null).map(({ id }) => id);
  const refreshed = await decodeRecordsById(em, tenant, stale);
  return found.flatMap((record) => {
    const data = record.decoded ?? refreshed.get(record.id)?.json;
    // It was deleted meanwhile.
    return data === undefined ? [] : [recordOf(record, data)];
  });
}
