import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { surrogates } from '../activity-logs/write-activity-logs.ts';
import type { LockedLocation } from '../documents/lock-location.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { indexRecords } from '../users/name-index.ts';
import { unnamingUsers } from '../users/unname-users.ts';
import { recordingKind, type PreparedRecording } from './recording.ts';

/** A locked document by surrogate keys and customer's ids. */
export interface RecordingLocation extends LockedLocation {
  readonly organizationId: string;
  readonly documentId: string;
}

/** A recording to write, and its times in milliseconds. */
export interface WrittenRecording {
  readonly recording: PreparedRecording;
  readonly createdAt: number;
  readonly lastUpdated: number;
  /** Whether the row exists and is locked. */
  readonly exists: boolean;
}

/**
 * Inserts new recordings, and overwrites the others in a second statement. When a concurrent call inserts a new id first,
 * this fails as a duplicate; the retry of the call finds the row.
 */
export async function writeRecordings(
  em: EntityManager,
  tenant: Tenant,
  location: RecordingLocation,
  written: readonly WrittenRecording[],
): Promise<void> {
  const added = written.filter(({ exists }) => !exists);
  const others = written.filter(({ exists }) => exists);
  await insert(em, tenant, location, added, sql``);
  await insert(em, tenant, location, others, overwriting);
  countUsage(em, tenant.id, 'recordings', added.length);
}

const overwriting = sql`on conflict (org_id, ext_id, document_id) do update set creator_id = excluded.creator_id,
  created_at = excluded.created_at, updated_at = excluded.updated_at, mentioned = excluded.mentioned,
  content_hash = excluded.content_hash, body = excluded.body`;

const WrittenRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** Inserts in the order of ids, which prevents deadlocks between batches. Also writes `record_user` and the name index. */
async function insert(
  em: EntityManager,
  { id: tenantId }: Tenant,
  { organization, document, users }: RecordingLocation,
  written: readonly WrittenRecording[],
  onConflict: RawBuilder<unknown>,
): Promise<void> {
  if (written.length === 0) return;
  const recordings = written.map(({ recording }) => recording);
  const bodies = await jsonList(recordings.map(({ json }) => json));
  const rows = await rowsOf(
    em,
    WrittenRow,
    sql`with written as (
        insert into recording (api_key_id, org_id, document_id, ext_id, creator_id, created_at, updated_at, mentioned, content_hash, body)
        select ${tenantId}, ${organization}, ${document}, ext_id, creator_id, created_at, updated_at, mentioned::bigint[], hash, body
        from rows from (
            unnest(${recordings.map(({ id }) => id)}::text[],
              ${recordings.map(({ body }) => users.get(body.from.userId))}::bigint[],
              ${written.map(({ createdAt }) => createdAt)}::bigint[], ${written.map(({ lastUpdated }) => lastUpdated)}::bigint[],
              ${recordings.map(({ people }) => keysLiteral(surrogates(people.userIds, users)))}::text[],
              ${recordings.map(({ hash }) => hash)}::bytea[]),
            json_array_elements(${bodies}::json))
          as t (ext_id, creator_id, created_at, updated_at, mentioned, hash, body)
        order by ext_id collate "C" ${onConflict} returning id, ext_id, mentioned),
      named as (
        insert into record_user (user_id, kind, record_id, api_key_id, org_id)
        select u.id, ${sql.lit(recordingKind)}, w.id, ${tenantId}, ${organization}
        from written w cross join lateral unnest(w.mentioned) as u (id) on conflict do nothing),
      unnamed as (${unnamingUsers('recording', recordingKind)})
      select id, ext_id from written`,
  );
  const names = new Map(recordings.map((recording) => [recording.id, recording.names]));
  const indexed = rows.map(({ id, ext_id }) => ({ id, names: names.get(ext_id) ?? [] }));
  await indexRecords(em, { id: tenantId }, 'recording', indexed);
}
