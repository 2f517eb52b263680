import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
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
