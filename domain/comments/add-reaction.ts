import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { failedPrecondition } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { indexRecords } from '../users/name-index.ts';
import { commentTexts } from './comment-texts.ts';
import { emitReaction } from './emission/emit-reaction.ts';
import {
  countReactions,
  lockReactions,
  type LockedReactions,
  type ReactionRequest,
} from './lock-reactions.ts';
import { reactionId } from './reaction.ts';
import { threadRoles } from './thread-person.entity.ts';
import { refuseLargeThread, threadLimits } from './thread-limits.ts';
import { addRoles, userKeyOf } from './write-comments.ts';

/** The result of a call. */
export interface AddedReaction {
  /** The id of all reactions to the comment with this icon. */
  readonly annotationId: string;
  /** Number of users who reacted with this icon. */
  readonly count: number;
  /** Notifies the remaining recipients; undefined when there are none. */
  readonly job: CreatedJob | undefined;
}

/**
 * Adds a user's reaction to a comment. Repeating it changes and emits nothing. `createdAt`: milliseconds since the
 * epoch.
 */
export async function addReaction(
  em: EntityManager,
  tenant: Tenant,
  request: ReactionRequest & { readonly createdAt?: number | undefined },
): Promise<AddedReaction> {
  const locked = await lockReactions(em, tenant, request);
  const { thread, comment, written } = locked;
  const annotationId = reactionId(comment.id, request.icon);
  if (comment.bytes !== null) return { annotationId, count: comment.count, job: undefined };
  refuseLargeThread({
    comments: thread.comment_count,
    reactions: thread.reaction_count + 1,
    contentBytes: thread.content_bytes + written.bytes,
  });
  if (comment.count === 0) await refuseManyIcons(em, comment.id);
  await insertReaction(em, tenant, locked, request.icon, request.createdAt ?? Date.now());
  await countReactions(em, locked, { reactions: 1, bytes: written.bytes });
  const job = await emitReaction(em, tenant, 'comment.reaction_add', request, locked);
  return { annotationId, count: comment.count + 1, job };
}

const CountRow = z.strictObject({ icons: z.number() });

/** Throws FAILED_PRECONDITION when the comment cannot get another icon. */
async function refuseManyIcons(em: EntityManager, comment: string): Promise<void> {
  const { icons } = await onlyRowOf(
    em,
    CountRow,
    sql`select count(distinct icon)::int as icons from reaction where comment_id = ${comment}`,
  );
  if (icons >= threadLimits.icons) throw failedPrecondition(commentTexts.tooManyIcons);
}

/** Inserts a reaction. Names in the user's free members are indexed with the comment. */
async function insertReaction(
  em: EntityManager,
  tenant: Tenant,
  { location, thread, comment, user, written }: LockedReactions,
  icon: string,
  at: number,
): Promise<void> {
  const { organization, users } = location;
  await sql`insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
    values (${comment.id}, ${icon}, ${user}, ${tenant.id}, ${organization}, ${at}, ${written.json})`.execute(
    tablesOf(em),
  );
  const named = [...written.named].map((userId) => userKeyOf(users, userId));
  await addRoles(
    em,
    tenant,
    organization,
    named.map((key) => ({ thread: thread.id, user: key, role: threadRoles.named })),
  );
  await indexRecords(em, tenant, 'comment', [{ id: comment.id, names: written.names }]);
  countUsage(em, tenant.id, 'reactions', 1);
}
