import { writeThread } from './prepare-annotation.ts';
import type { StoredThread } from './read-states.ts';
import { replaceInThread } from './replace-users.ts';
import type { ContentChange, UserReplacement } from './rewrite-reactions.ts';
import { refuseLargeBody, refuseLargeThread } from './thread-limits.ts';
import type { ChangedThread, UpdateKeys } from './update-threads.ts';
import { sameJson, updatedState, type AnnotationUpdate, type ThreadState } from './updated-thread.ts';
import { userKeyOf } from './write-comments.ts';

/** The input of a change besides the update. */
interface ChangeContext {
  readonly users: UpdateKeys['users'];
  readonly replacement: UserReplacement;
  readonly content: ContentChange | undefined;
}

/** The thread after the update; undefined when it, its comments and its reactions do not change. */
export function changedThread(
  before: StoredThread,
  update: AnnotationUpdate,
  { users, replacement, content }: ChangeContext,
): ChangedThread | undefined {
  const replaced = replacedState(before.state, replacement);
  const after = updatedState(replaced, before.kind, update, (userId) => userKeyOf(users, userId));
  refuseLargeBody('updatedData', before.bytes, after.body);
  const lastUpdated = update.lastUpdated ?? 0;
  const { body, ...columns } = after;
  const { body: bodyBefore, ...columnsBefore } = before.state;
  const sameBody = sameJson(bodyBefore, body);
  const isSame = content === undefined && sameBody && sameJson(columnsBefore, columns);
  if (isSame && lastUpdated <= before.updatedAt) return undefined;
  const written = writeThread(body);
  refuseLargeThread({
    comments: before.comments,
    reactions: before.reactions + (content?.reactions ?? 0),
    contentBytes: before.contentBytes + (content?.bytes ?? 0),
  });
  const updatedAt = Math.max(before.updatedAt, Date.now(), lastUpdated, after.createdAt);
  return { before, replaced, after, sameBody, written, content, updatedAt };
}

function replacedState(state: ThreadState, { users, keys }: UserReplacement): ThreadState {
  if (users.size === 0) return state;
  const keyAfter = (key: string | null): string | null => (key === null ? null : (keys.get(key) ?? key));
  return {
    ...state,
    body: replaceInThread(state.body, users),
    creator: keyAfter(state.creator),
    resolver: keyAfter(state.resolver),
    statusUpdater: keyAfter(state.statusUpdater),
  };
}
