import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import type { LockedLocation } from '../documents/lock-location.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { indexRecords } from '../users/name-index.ts';
import type { ThreadLocation } from './lock-threads.ts';
import type { PreparedAnnotation } from './prepare-annotation.ts';
import {
  agentTypeNumbers,
  suggestionStatusNumbers,
  threadKindNumbers,
  visibilityNumbers,
} from './thread.entity.ts';
import { insertComments, addRoles, keyOf, type NewComment } from './write-comments.ts';
import { writeAudience } from './visibility.ts';

const InsertedRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** A thread that a call has inserted. */
export interface InsertedThread {
  /** Surrogate key. */
  readonly thread: string;
  readonly annotation: PreparedAnnotation;
  readonly comments: readonly NewComment[];
  /** Surrogate keys of the comments, by their ids. */
  readonly keys: ReadonlyMap<number, string>;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Inserts annotations with their comments. Returns those whose ids were free; waits for concurrent calls with one of them. */
export async function insertThreads(
  em: EntityManager,
  tenant: Tenant,
  location: LockedLocation,
  annotations: readonly PreparedAnnotation[],
): Promise<readonly InsertedThread[]> {
  if (annotations.length === 0) return [];
  const now = Date.now();
  const timed = annotations.map((annotation) => ({ annotation, ...timesOf(annotation, now) }));
  const rows = await insertRows(em, tenant, location, timed);
  const keys = new Map(rows.map(({ ext_id, id }) => [ext_id, id]));
  const inserted = timed.flatMap((row): Omit<InsertedThread, 'keys'>[] => {
    const thread = keys.get(row.annotation.annotationId);
    if (thread === undefined) return [];
    const comments = row.annotation.comments.map((comment) => ({
      thread,
      comment,
      ...timesOf(comment, now),
    }));
    return [{ ...row, thread, comments }];
  });
  countUsage(em, tenant.id, 'commentAnnotations', inserted.length);
  const { organization, users } = location;
  const roles = inserted.flatMap(({ thread, annotation }) =>
    [...annotation.roles].map(([userId, role]) => ({ thread, user: keyOf(users, userId), role })),
  );
  await addRoles(em, tenant, organization, roles);
  await writeAudience(
    em,
    tenant,
    users,
    inserted.map(({ thread, annotation }) => ({ thread, visibility: annotation.body.visibilityConfig })),
  );
  const written = await insertComments(
    em,
    tenant,
    location,
    inserted.flatMap(({ comments }) => comments),
  );
  await indexRecords(
    em,
    tenant,
    'thread',
    inserted.map(({ thread, annotation: { names } }) => ({ id: thread, names })),
  );
  const keysOf = Map.groupBy(written, ({ thread_id }) => thread_id);
  return inserted.map((row) => ({
    ...row,
    keys: new Map((keysOf.get(row.thread) ?? []).map(({ ext_id, id }) => [Number(ext_id), id])),
  }));
}

interface SentTimes {
  readonly createdAt: number | undefined;
  readonly lastUpdated: number | undefined;
}

/** `updatedAt` is never before `createdAt`. */
export function timesOf({ createdAt = Date.now(), lastUpdated }: SentTimes, now: number) {
  return { createdAt, updatedAt: Math.max(createdAt, lastUpdated ?? now) };
}

type Timed = Pick<InsertedThread, 'annotation' | 'createdAt' | 'updatedAt'>;

/** In the order of ids, which prevents deadlocks between batches. */
async function insertRows(
  em: EntityManager,
  tenant: Tenant,
  { organization, document, users }: LockedLocation,
  threads: readonly Timed[],
): Promise<z.infer<typeof InsertedRow>[]> {
  const columns = threads.map((timed) => columnsOf(timed, users));
  const bodies = await jsonList(threads.map(({ annotation }) => annotation.json));
  return rowsOf(
    em,
    InsertedRow,
    sql`insert into thread (api_key_id, org_id, document_id, ext_id, location_id, creator_id, status_id, kind, suggestion, visibility,
        last_actor_id, agent_id, agent_type, created_at, updated_at, last_comment_id, comment_count, content_bytes, content_hash, body)
      select ${tenant.id}, ${organization}, ${document}, ext_id, location_id, creator_id, status_id, kind, suggestion, visibility,
        creator_id, agent_id, agent_type, created_at, updated_at, last_comment_id, comment_count, content_bytes, hash, body
      from rows from (
          unnest(${columns.map(({ extId }) => extId)}::text[], ${columns.map(({ locationId }) => locationId)}::text[],
            ${columns.map(({ creator }) => creator)}::bigint[], ${columns.map(({ statusId }) => statusId)}::text[],
            ${columns.map(({ kind }) => kind)}::smallint[], ${columns.map(({ suggestion }) => suggestion)}::smallint[],
            ${columns.map(({ visibility }) => visibility)}::smallint[], ${columns.map(({ agentId }) => agentId)}::text[],
            ${columns.map(({ agentType }) => agentType)}::smallint[],
            ${threads.map(({ createdAt }) => createdAt)}::bigint[], ${threads.map(({ updatedAt }) => updatedAt)}::bigint[],
            ${columns.map(({ lastCommentId }) => lastCommentId)}::bigint[],
            ${columns.map(({ commentCount }) => commentCount)}::int[],
            ${columns.map(({ contentBytes }) => contentBytes)}::int[], ${columns.map(({ hash }) => hash)}::bytea[]),
          json_array_elements(${bodies}::json))
        as t (ext_id, location_id, creator_id, status_id, kind, suggestion, visibility, agent_id, agent_type, created_at, updated_at,
          last_comment_id, comment_count, content_bytes, hash, body)
      order by ext_id collate "C" on conflict (org_id, ext_id, document_id) do nothing returning id, ext_id`,
  );
}

function columnsOf({ annotation }: Timed, users: LockedLocation['users']) {
  const { body, kind, comments } = annotation;
  const { location, visibilityConfig, from, agent } = body;
  return {
    extId: annotation.annotationId,
    locationId: location === undefined ? null : String(location.id),
    creator: from === undefined ? null : keyOf(users, from.userId),
    statusId: body.status.id,
    kind: threadKindNumbers[kind],
    suggestion: kind === 'suggestion' ? suggestionStatusNumbers.pending : null,
    visibility: visibilityNumbers[visibilityConfig?.type ?? 'public'],
    agentId: agent?.agentId ?? null,
    agentType: agent === undefined ? null : agentTypeNumbers[agent.agentType ?? 'built-in'],
    lastCommentId: Math.max(...comments.map(({ commentId }) => commentId)),
    commentCount: comments.length,
    contentBytes: annotation.contentBytes,
    hash: annotation.hash,
  };
}

const ExistingRow = z.strictObject({ ext_id: z.string(), content_hash: z.instanceof(Buffer).nullable() });

/** The hashes of existing threads, by the customer's id. */
export async function readHashes(
  em: EntityManager,
  tenant: Tenant,
  { organization, document }: ThreadLocation,
  annotationIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer | null>> {
  if (annotationIds.length === 0) return new Map();
  const found = await rowsOf(
    em,
    ExistingRow,
    sql`select ext_id, content_hash from thread
      where org_id = ${organization} and ext_id = any(${annotationIds}::text[]) and document_id = ${document}
        and api_key_id + 0 = ${tenant.id}`,
  );
  return new Map(found.map(({ ext_id, content_hash }) => [ext_id, content_hash]));
}
