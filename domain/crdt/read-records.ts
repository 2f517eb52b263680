import { visibleDocument, type ResolvedDocument } from '../documents/resolve-document.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { decodeRecords, decodeRecordsById, type Decoded } from './decode-records.ts';
import { knownContents } from './known-contents.ts';
import type { CrdtRecord } from './record.ts';
import { baseOf, logOf } from './resolve-record.ts';
import type { Codec } from './stored-bytes.ts';

/** Bytes of content that one page reads; it holds one record at least. */
const mostBytes = 8_388_608;

interface RecordRow {
  readonly id: string;
  readonly editor_id: string;
  /** Null of what was written since: see `decodeRecords`. */
  readonly decoded: string | null;
  readonly last_update: Date | string;
  readonly updated_by: string | null;
  readonly session_id: string | null;
}

interface PageRow extends RecordRow {
  readonly more: boolean;
}

/** With the bytes that the content is made of, where it has to be decoded. */
interface FoundRow extends RecordRow {
  readonly version: string;
  /** This process has its content already. */
  readonly known: boolean;
  readonly type: number;
  readonly content_key: string;
  readonly state_revision: string;
  readonly state_codec: Codec;
  readonly state: Buffer | null;
  readonly log: readonly Buffer[] | null;
}

const columns = `c.id, c.editor_id, c.last_update, c.session_id,
  (select u.ext_id from app_user u where u.id = c.last_updated_by) as updated_by`;

/** The record of one editor and where it is, all in one statement; undefined when any of them is not there. */
export async function findRecord(
  em: EntityManager,
  tenant: Tenant,
  place: { readonly organizationId: string; readonly documentId: string; readonly editorId: string },
): Promise<CrdtRecord | undefined> {
  const way = [tenant.id, place.organizationId, place.documentId, place.editorId];
  const key = JSON.stringify(way);
  const contents = knownContents(em);
  const known = contents.get(key);
  const found = await row<FoundRow>(
    em,
    `select ${columns}, c.version, s.known, case when s.decoded then c.decoded end as decoded, c.type, c.content_key, c.state_revision, c.state_codec,
       case when not s.known and not s.decoded then c.state end as state,
       case when not s.known and not s.decoded then ${logOf} end as log
     from organization o
     join document d on d.org_id = o.id and d.ext_id = $3 and ${visibleDocument}
     join crdt c on c.document_id = d.id and c.editor_id = $4 and c.api_key_id = $1
     cross join lateral (select coalesce(c.id = $5::bigint and c.version = $6::bigint, false) as known) k
     cross join lateral (select k.known, not k.known and c.decoded_version = c.version as decoded) s
     where o.api_key_id = $1 and o.ext_id = $2`,
    [...way, ...(known?.decoded === undefined ? [null, null] : [known.id, known.version])],
  );
  if (found === undefined) return undefined;
  if (found.known && known?.decoded !== undefined) return recordOf(found, known.decoded);
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
  lastUpdate: new Date(found.last_update).toISOString(),
  lastUpdatedBy: found.updated_by ?? '',
  sessionId: found.session_id,
});

export interface CrdtPage {
  readonly records: readonly CrdtRecord[];
  /** The editor behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
}

/** Records of a document by editor, at most `limit`, and no more than fit into some megabytes. */
export async function readRecords(
  em: EntityManager,
  tenant: Tenant,
  document: ResolvedDocument,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<CrdtPage> {
  const found = await rows<PageRow>(
    em,
    `with next as (
       select id, editor_id, decoded_bytes from crdt
       where api_key_id = $1 and document_id = $2 and editor_id > $3 order by editor_id limit $4),
     sized as (
       select id, row_number() over (order by editor_id) as place, count(*) over () as found,
         sum(decoded_bytes) over (order by editor_id) - decoded_bytes as before from next),
     page as (select id, place, found from sized where place < $4 and (before < ${String(mostBytes)} or place = 1))
     select ${columns}, case when c.decoded_version = c.version then c.decoded end as decoded,
       (select max(found) > max(place) from page) as more
     from page p cross join lateral (select * from crdt r where r.id = p.id limit 1) c order by c.editor_id`,
    [tenant.id, document.id, after, limit + 1],
  );
  const last = found.at(-1);
  return {
    records: await recordsOf(em, tenant, found),
    next: last?.more === true ? last.editor_id : undefined,
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
