import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';
import { emitReaction } from './emission/emit-reaction.ts';
import { countReactions, lockReactions, type ReactionRequest } from './lock-reactions.ts';
import { threadRoles } from './thread-person.entity.ts';

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
  // The user stays the thread's last actor. Without the reaction, a deletion of their data finds the thread by this row.
  await sql`insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
    values (${thread.id}, ${user}, ${tenant.id}, ${location.organization}, ${sql.lit(threadRoles.named)})
    on conflict (thread_id, user_id) do nothing`.execute(tablesOf(em));
  await countReactions(em, locked, { reactions: -1, bytes: -comment.bytes });
  await emitReaction(em, tenant, 'comment.reaction_delete', request, locked);
  return comment.count - 1;
}
