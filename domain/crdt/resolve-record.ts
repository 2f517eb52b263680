import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { isCrdtLeftToJob } from './left-to-job.ts';
import { codecs, plainBytes, type StoredBytes } from './stored-bytes.ts';
import { crdtTypeName, type ContentLocation, type CrdtType } from './record.ts';

/** A record with its state and log at `version`. */
export interface CrdtBase extends ContentLocation {
  readonly id: string;
  readonly version: string;
  readonly stateRevision: string;
  /** The merged state, then the log. */
  readonly parts: readonly StoredBytes[];
}

export const BaseRow = z.strictObject({
  id: z.string(),
  type: z.number(),
  content_key: z.string(),
  version: z.string(),
  state_revision: z.string(),
  state: z.instanceof(Buffer),
  state_codec: z.literal(Object.values(codecs)),
  log: z.array(z.instanceof(Buffer)).readonly(),
});

/** SQL: updates not merged into the state of `crdt c`, in order of writing. */
export const logOf = sql`array(select u.bytes from crdt_update u where u.crdt_id = c.id order by u.seq)`;

/** The columns of a `BaseRow`, of `crdt c`. */
export const baseColumns = sql`c.id, c.type, c.content_key, c.version, c.state_revision, c.state, c.state_codec, ${logOf} as log`;

export const baseOf = (found: z.infer<typeof BaseRow>): CrdtBase => ({
  id: found.id,
  type: crdtTypeName(found.type),
  contentKey: found.content_key,
  version: found.version,
  stateRevision: found.state_revision,
  parts: [{ bytes: found.state, codec: found.state_codec }, ...found.log.map(plainBytes)],
});

/** Reads the record of an editor. Throws NOT_FOUND. */
export async function readBase(
  em: EntityManager,
  tenant: Tenant,
  document: string,
  editorId: string,
): Promise<CrdtBase> {
  const found = await rowOf(
    em,
    BaseRow,
    sql`select ${baseColumns} from crdt c
      where c.api_key_id = ${tenant.id} and c.document_id = ${document} and c.editor_id = ${editorId}`,
  );
  if (found === undefined) throw notFound(messages.crdtMissing);
  return baseOf(found);
}

/** A record without its content, unless that is small. */
export interface FoundBase extends Omit<CrdtBase, 'parts'> {
  readonly parts: CrdtBase['parts'] | undefined;
  /** Bytes of memory that a change takes: content before and after it, and its decoded form. */
  readonly bytes: number;
}

/** Max bytes of a record whose content `findBase` reads. */
const maxFoundBytes = 65_536;

const FoundRow = BaseRow.extend({
  bytes: z.number(),
  state: BaseRow.shape.state.nullable(),
  log: BaseRow.shape.log.nullable(),
});

/** Finds the record of an editor for a write; `loadBase` reads the content of a large one. Throws NOT_FOUND. */
export async function findBase(
  em: EntityManager,
  tenant: Tenant,
  document: string,
  editorId: string,
): Promise<FoundBase> {
  const found = await rowOf(
    em,
    FoundRow,
    sql`select c.id, c.type, c.content_key, c.version, c.state_revision, c.state_codec, s.bytes,
        case when s.bytes <= ${maxFoundBytes} then c.state end as state,
        case when s.bytes <= ${maxFoundBytes} then ${logOf} end as log
      from crdt c
      cross join lateral (
        select (c.decoded_bytes + 2 * (octet_length(c.state) + coalesce(
          (select sum(octet_length(u.bytes)) from crdt_update u where u.crdt_id = c.id), 0)))::float8 as bytes offset 0) s
      where c.api_key_id = ${tenant.id} and c.document_id = ${document} and c.editor_id = ${editorId} and not ${isCrdtLeftToJob}`,
  );
  if (found === undefined) throw notFound(messages.crdtMissing);
  const { state, log, bytes } = found;
  if (state !== null && log !== null) return { ...baseOf({ ...found, state, log }), bytes };
  const { parts: _none, ...record } = baseOf({ ...found, state: Buffer.alloc(0), log: [] });
  return { ...record, parts: undefined, bytes };
}

/** Reads the content of a found record, if it is not read yet. Throws NOT_FOUND when the record was deleted. */
export async function loadBase(em: EntityManager, tenant: Tenant, found: FoundBase): Promise<CrdtBase> {
  const { parts } = found;
  if (parts !== undefined) return { ...found, parts };
  const loaded = await rowOf(
    em,
    BaseRow,
    sql`select ${baseColumns} from crdt c where c.id = ${found.id} and c.api_key_id = ${tenant.id}`,
  );
  if (loaded === undefined) throw notFound(messages.crdtMissing);
  return baseOf(loaded);
}

/** Rejects a `type` or `contentKey` that differs from the stored one. */
export function refuseOtherLocation(
  base: ContentLocation,
  sent: { readonly type?: CrdtType | undefined; readonly contentKey?: string | undefined },
): void {
  const text = 'type does not match the stored type.';
  if (sent.type !== undefined && sent.type !== base.type) throw invalidMember('type', text);
  if (sent.contentKey !== undefined && sent.contentKey !== base.contentKey) {
    throw invalidMember('contentKey', text);
  }
}
