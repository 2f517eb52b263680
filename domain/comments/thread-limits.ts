import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { isLargerThan } from '../../platform/json/json-size.ts';
import { failedPrecondition, invalidMember } from '../errors.ts';
import { commentTexts } from './comment-texts.ts';
import { involvedRoles } from './thread-person.entity.ts';

/** Limits of a thread. Every response contains whole threads. */
export const threadLimits = {
  comments: 1_000,
  reactions: 10_000,
  /** Different icons of the reactions to one comment. */
  icons: 100,
  /** JSON bytes of all comments and reactions. */
  contentBytes: 8_388_608,
  /** Authors, tagged users and assignee. */
  users: 1_000,
} as const;

/** Counters of a thread after a write. */
export interface ThreadSize {
  readonly comments: number;
  readonly reactions: number;
  readonly contentBytes: number;
}

/** Throws FAILED_PRECONDITION for a thread beyond a limit. */
export function refuseLargeThread({ comments, reactions, contentBytes }: ThreadSize): void {
  if (comments > threadLimits.comments) throw failedPrecondition(commentTexts.tooManyComments);
  if (reactions > threadLimits.reactions) throw failedPrecondition(commentTexts.tooManyReactions);
  if (contentBytes > threadLimits.contentBytes) throw failedPrecondition(commentTexts.tooManyBytes);
}

/** Max bytes of a comment, and of an annotation without its comments. */
export const maxBodyBytes = 262_144;

/**
 * Throws INVALID_ARGUMENT when a body grew beyond 256 KiB; `before`: its stored bytes. Call it before the body is
 * written: one new user in place of a thousand old ones may exceed the longest string.
 */
export function refuseLargeBody(member: string, before: number, after: object): void {
  if (isLargerThan(Math.max(maxBodyBytes, before), after))
    throw invalidMember(member, `${member} must leave annotations and comments of at most 256 KiB each.`);
}

const FoundRow = z.strictObject({ thread_id: z.string() });

/** Throws FAILED_PRECONDITION if one of these locked threads, by surrogate key, involves too many users. */
export async function refuseManyInvolved(em: EntityManager, threads: readonly string[]): Promise<void> {
  if (threads.length === 0) return;
  const found = await rowOf(
    em,
    FoundRow,
    sql`select thread_id from thread_person
      where thread_id = any(${threads}::bigint[]) and roles & ${sql.lit(involvedRoles)} <> 0
      group by thread_id having count(*) > ${sql.lit(threadLimits.users)} limit 1`,
  );
  if (found !== undefined) throw failedPrecondition(commentTexts.tooManyUsers);
}
