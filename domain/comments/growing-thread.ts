import type { PreparedComment } from './comment.ts';
import { timesOf } from './insert-threads.ts';
import type { LockedThread } from './lock-threads.ts';
import { assignCommentIds } from './prepare-annotation.ts';
import { refuseLargeThread } from './thread-limits.ts';
import type { NewComment } from './write-comments.ts';

/** A locked thread, and the comments that a call adds to it. */
export class GrowingThread {
  readonly before: LockedThread;
  /** In the order of additions. */
  readonly added: NewComment[] = [];
  /** The largest comment id that the thread has ever used. */
  lastId: number;
  contentBytes: number;

  constructor(before: LockedThread) {
    this.before = before;
    this.lastId = Number(before.last_comment_id);
    this.contentBytes = before.content_bytes;
  }

  /** Adds comments and returns their ids. Throws FAILED_PRECONDITION beyond the limits of a thread. */
  add(comments: readonly PreparedComment[], now: number): readonly number[] {
    const ids = assignCommentIds(comments, this.lastId);
    this.lastId = Math.max(this.lastId, ...ids);
    for (const [at, comment] of comments.entries()) {
      const numbered = { ...comment, commentId: ids[at] ?? 0 };
      this.added.push({ thread: this.before.id, comment: numbered, ...timesOf(comment, now) });
      this.contentBytes += comment.bytes;
    }
    refuseLargeThread({
      comments: this.before.comment_count + this.added.length,
      reactions: this.before.reaction_count,
      contentBytes: this.contentBytes,
    });
    return ids;
  }
}
