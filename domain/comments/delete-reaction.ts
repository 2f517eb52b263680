import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';
import { emitReaction } from './emission/emit-reaction.ts';
import { countReactions, lockReactions, type ReactionRequest } from './lock-reactions.ts';
import { actorRole, addRoles } from './write-comments.ts';

/** Deletes a user's reaction to a comment. Returns how many users still react with its icon. Throws NOT_FOUND. */
export async function deleteReaction(
  em: EntityManager,
  tenant: Tenant,
  request: ReactionRequest,
): Promise<number> {
  const locked = await lockReactions(em, tenant, request);
  const { location, thread, comment, user } = locked;
  if (comment.bytes === null) throw notFound(commentTexts.reactionMissing);
  await sql`delete from reaction
    where comment_id = ${comment.id} and icon = ${request.icon} and user_id = ${user}`.execute(tablesOf(em));
  await addRoles(em, tenant, location.organization, actorRole(thread.id, user));
  await countReactions(em, locked, { reactions: -1, bytes: -comment.bytes });
  await emitReaction(em, tenant, 'comment.reaction_delete', request, locked);
  return comment.count - 1;
}
