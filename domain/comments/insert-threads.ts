import { sql, type RawBuilder } from 'kysely';
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
import {
  commentColumns,
  commentLists,
  indexComments,
  userKeyOf,
  needsKeys,
  sentColumns,
  type CommentKeysById,
  type CommentValues,
  type NewComment,
} from './write-comments.ts';
import { writeAudience } from './visibility.ts';

const InsertedRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  comment: z.string().nullable(),
  comment_id: z.string().nullable(),
});

/** A thread that a call has inserted. */
export interface InsertedThread {
  /** Surrogate key. */
  readonly thread: string;
  readonly annotation: PreparedAnnotation;
  readonly comments: readonly NewComment[];
  readonly keys: CommentKeysById;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Inserts the annotations with free ids and their comments, and returns them. Waits for concurrent calls with equal
 * ids.
 */
export async function insertThreads(
  em: EntityManager,
  tenant: Tenant,
  location: LockedLocation,
  annotations: readonly PreparedAnnotation[],
): Promise<readonly InsertedThread[]> {
  if (annotations.length === 0) return [];
  const now = Date.now();
  const timed = annotations.map((annotation): Timed => ({
    annotation,
    ...timesOf(annotation, now),
    comments: annotation.comments.map((comment) => ({ comment, ...timesOf(comment, now) })),
  }));
  const inserted = insertedOf(timed, await rowsOf(em, InsertedRow, await inserting(tenant, location, timed)));
  const comments = inserted.flatMap((thread) => thread.comments);
  countUsage(em, tenant.id, 'commentAnnotations', inserted.length);
  countUsage(em, tenant.id, 'comments', comments.length);
  await writeAudience(
    em,
    tenant,
    location.users,
    inserted.map(({ thread, annotation }) => ({ thread, visibility: annotation.body.visibilityConfig })),
  );
  await indexComments(em, tenant, comments, new Map(inserted.map(({ thread, keys }) => [thread, keys])));
  await indexRecords(
    em,
    tenant,
    'thread',
    inserted.map(({ thread, annotation: { names } }) => ({ id: thread, names })),
  );
  return inserted;
}

const noKeys: CommentKeysById = new Map();

function insertedOf(
  timed: readonly Timed[],
  rows: readonly z.infer<typeof InsertedRow>[],
): readonly InsertedThread[] {
  const threads = new Map<string, { readonly thread: string; keys: Map<number, string> | undefined }>();
  for (const { id, ext_id, comment, comment_id } of rows) {
    const found = threads.get(ext_id) ?? { thread: id, keys: undefined };
    if (comment !== null) (found.keys ??= new Map()).set(Number(comment_id), comment);
    threads.set(ext_id, found);
  }
  return timed.flatMap(({ comments, ...row }): InsertedThread[] => {
    const found = threads.get(row.annotation.annotationId);
    if (found === undefined) return [];
    const { thread, keys = noKeys } = found;
    return [{ ...row, thread, keys, comments: comments.map((comment) => ({ ...comment, thread })) }];
  });
}

interface SentTimes {
  readonly createdAt: number | undefined;
  readonly lastUpdated: number | undefined;
}

/** The times of a new record, in milliseconds since the epoch. `updatedAt` is never before `createdAt`. */
export function timesOf({ createdAt = Date.now(), lastUpdated }: SentTimes, now: number) {
  return { createdAt, updatedAt: Math.max(createdAt, lastUpdated ?? now) };
}

interface Timed extends Pick<InsertedThread, 'annotation' | 'createdAt' | 'updatedAt'> {
  readonly comments: readonly CommentValues[];
}

/**
 * SQL: inserts threads, their comments and their people in one statement. The order of ids prevents deadlocks between
 * batches. Comments and people of an existing thread are not inserted.
 */
async function inserting(
  { id: tenantId }: Tenant,
  { organization, document, users }: LockedLocation,
  threads: readonly Timed[],
): Promise<RawBuilder<unknown>> {
  const columns = threads.map((timed) => columnsOf(timed, users));
  const bodies = await jsonList(threads.map(({ annotation }) => annotation.json));
  const comments = threads.flatMap(({ annotation: { annotationId }, comments: own }) =>
    own.map((comment) => ({ ...comment, annotationId })),
  );
  const roles = threads.flatMap(({ annotation }) =>
    [...annotation.roles].map(([userId, role]) => ({
      annotationId: annotation.annotationId,
      user: userKeyOf(users, userId),
      role,
    })),
  );
  const sent = await commentLists(
    sql`${comments.map(({ annotationId }) => annotationId)}::text[]`,
    comments,
    users,
  );
  const keys = comments.some(({ comment }) => needsKeys(comment))
    ? sql`select t.id, t.ext_id, c.id as comment, c.ext_id as comment_id from t join c on c.thread_id = t.id`
    : sql`select t.id, t.ext_id, null::bigint as comment, null::bigint as comment_id from t`;
  return sql`with t as (
      insert into thread (api_key_id, org_id, document_id, ext_id, location_id, creator_id, status_id, kind, suggestion, visibility,
        last_actor_id, agent_id, agent_type, created_at, updated_at, last_comment_id, comment_count, content_bytes, content_hash, body)
      select ${tenantId}, ${organization}, ${document}, ext_id, location_id, creator_id, status_id, kind, suggestion, visibility,
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
      order by ext_id collate "C" on conflict (org_id, ext_id, document_id) do nothing returning id, ext_id),
    c as (
      insert into comment (api_key_id, org_id, thread_id, ${commentColumns})
      select ${tenantId}, ${organization}, t.id, ${sentColumns} from ${sent} join t on t.ext_id = s.thread
      order by s.nth returning id, thread_id, ext_id),
    p as (
      insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
      select t.id, s.user_id, ${tenantId}, ${organization}, s.roles
      from unnest(${roles.map(({ annotationId }) => annotationId)}::text[], ${roles.map(({ user }) => user)}::bigint[],
        ${roles.map(({ role }) => role)}::smallint[]) as s (thread, user_id, roles) join t on t.ext_id = s.thread
      order by t.id, s.user_id)
    ${keys}`;
}

function columnsOf({ annotation }: Pick<Timed, 'annotation'>, users: LockedLocation['users']) {
  const { body, kind, comments } = annotation;
  const { location, visibilityConfig, from, agent } = body;
  return {
    extId: annotation.annotationId,
    locationId: location === undefined ? null : String(location.id),
    creator: from === undefined ? null : userKeyOf(users, from.userId),
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

/** Reads the hashes of existing threads, by the customer's id. */
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
