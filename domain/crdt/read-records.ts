import { visibleDocument, type ResolvedDocument } from '../documents/resolve-document.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { CrdtRecord } from './record.ts';
import { refreshRecords } from './refresh-records.ts';

/** Bytes of content that one page reads; it holds one record at least. */
const mostBytes = 8_388_608;

interface RecordRow {
  readonly id: string;
  readonly editor_id: string;
  /** Null of what was written since: see `refreshRecords`. */
  readonly decoded: string | null;
  readonly last_update: Date | string;
  readonly updated_by: string | null;
  readonly session_id: string | null;
  readonly more: boolean;
}

const columns = `c.id, c.editor_id, case when c.decoded_version = c.version then c.decoded end as decoded, c.last_update, c.session_id,
  (select u.ext_id from app_user u where u.id = c.last_updated_by) as updated_by`;

/** The record of one editor and where it is, all in one statement; undefined when any of them is not there. */
export async function findRecord(
  em: EntityManager,
  tenant: Tenant,
  place: { readonly organizationId: string; readonly documentId: string; readonly editorId: string },
): Promise<CrdtRecord | undefined> {
  const found = await rows<RecordRow>(
    em,
    `select ${columns}, false as more from organization o
     join document d on d.org_id = o.id and d.ext_id = $3 and ${visibleDocument}
     join crdt c on c.document_id = d.id and c.editor_id = $4 and c.api_key_id = $1
     where o.api_key_id = $1 and o.ext_id = $2`,
    [tenant.id, place.organizationId, place.documentId, place.editorId],
  );
  const [record] = await recordsOf(em, tenant, found);
  return record;
}

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
  const found = await rows<RecordRow>(
    em,
    `with next as (
       select id, editor_id, decoded_bytes from crdt
       where api_key_id = $1 and document_id = $2 and editor_id > $3 order by editor_id limit $4),
     sized as (
       select id, row_number() over (order by editor_id) as place, count(*) over () as found,
         sum(decoded_bytes) over (order by editor_id) - decoded_bytes as before from next),
     page as (select id, place, found from sized where place < $4 and (before < ${String(mostBytes)} or place = 1))
     select ${columns}, (select max(found) > max(place) from page) as more
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
  const refreshed = await refreshRecords(em, tenant, stale);
  return found.flatMap((record) => {
    const data = record.decoded ?? refreshed.get(record.id);
    // It was deleted meanwhile.
    if (data === undefined) return [];
    return {
      data,
      id: record.editor_id,
      lastUpdate: new Date(record.last_update).toISOString(),
      lastUpdatedBy: record.updated_by ?? '',
      sessionId: record.session_id,
    };
  });
}
