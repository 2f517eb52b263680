import { isDeepStrictEqual } from 'node:util';
import type { Pausable } from '../../platform/process/in-turns.ts';
import { invalidMember } from '../errors.ts';
import { writeComment, type WrittenComment } from './comment.ts';
import type { CommentBody, NamedUser } from './comment.entity.ts';
import type { SelectedComment } from './select-comments.ts';
import { maxBodyBytes, refuseLargeThread, type ThreadSize } from './thread-limits.ts';

type EditableMember = Exclude<keyof CommentBody, 'from' | 'agent' | 'editedAt'>;

/**
 * Members that replace stored ones as a whole. An empty list removes the stored one. Times: milliseconds since the
 * epoch.
 */
export interface CommentUpdate extends Partial<Pick<CommentBody, EditableMember>> {
  readonly from?: NamedUser | undefined;
  readonly createdAt?: number | undefined;
  readonly lastUpdated?: number | undefined;
}

/** A stored comment that an update changes. */
export interface EditedComment {
  readonly stored: SelectedComment;
  readonly body: CommentBody;
  readonly written: WrittenComment;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The effect of an update on a thread. */
export interface EditedComments {
  /** Only comments that change. */
  readonly edited: readonly EditedComment[];
  /** JSON bytes of all comments and reactions of the thread after the update. */
  readonly contentBytes: number;
  /** The least `lastUpdated` of the thread: a comment's `createdAt` may be later, and does not count. */
  readonly updatedAt: number;
}

/** Members whose change sets `editedAt`. */
const shown = ['commentText', 'commentHtml', 'taggedUserContacts', 'attachments'] as const;

/** Applies an update to comments of a thread. Throws FAILED_PRECONDITION once the thread exceeds its bytes. */
export function* editComments(
  comments: readonly SelectedComment[],
  update: CommentUpdate,
  size: ThreadSize,
  now: number,
): Pausable<EditedComments> {
  const edited: EditedComment[] = [];
  let contentBytes = comments.reduce((left, { bytes }) => left - bytes, size.contentBytes);
  for (const stored of comments) {
    const one = editComment(stored, update, now);
    contentBytes += one?.written.bytes ?? stored.bytes;
    refuseLargeThread({ ...size, contentBytes });
    if (one !== undefined) edited.push(one);
    yield;
  }
  return { edited, contentBytes, updatedAt: Math.max(now, update.lastUpdated ?? 0) };
}

/** Undefined when the update changes nothing. An earlier time and another order of keys do not count as changes. */
function editComment(
  stored: SelectedComment,
  { createdAt = Number(stored.created_at), lastUpdated = 0, ...members }: CommentUpdate,
  now: number,
): EditedComment | undefined {
  const sent = Object.entries(members).filter(([, value]) => value !== undefined);
  const replaced = {
    ...stored.body,
    ...Object.fromEntries(sent.map(([name, value]) => [name, isEmptyList(value) ? undefined : value])),
  };
  let written = writeComment(replaced);
  let body = JSON.parse(written.json) as CommentBody;
  const isStored = isDeepStrictEqual(body, stored.body);
  const updatedAt = Number(stored.updated_at);
  if (isStored && createdAt === Number(stored.created_at) && lastUpdated <= updatedAt) return undefined;
  if (shown.some((name) => !isDeepStrictEqual(body[name], stored.body[name]))) {
    body = { ...body, editedAt: now };
    written = writeComment(body);
  }
  if (written.bytes > maxBodyBytes)
    throw invalidMember('updatedData', 'updatedData must leave each comment at most 256 KiB.');
  return { stored, body, written, createdAt, updatedAt: Math.max(updatedAt, now, lastUpdated, createdAt) };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
