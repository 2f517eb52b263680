import type { Why } from '../../notices/statuses.ts';
import { threadHeadlines } from '../../thread-headlines.ts';
import type { ThreadPeople } from '../read-contents.ts';
import type { ThreadRow } from '../thread-page.ts';
import type { NamedUser } from '../comment.entity.ts';

/**
 * The recipients of a change. `members`: users that the thread involves, and members of the document. `involved`: users
 * that the thread involves. `named`: only the users that the change names.
 */
export type Reach = 'members' | 'involved' | 'named';

/** The event types of comment threads, each with the recipients of its notification. Null: no notification. */
export const emissions = {
  'comment_annotation.add': 'members',
  'comment.add': 'members',
  'comment.update': 'members',
  'comment.delete': null,
  'comment.reaction_add': 'named',
  'comment.reaction_delete': null,
  'comment_annotation.status_change': 'members',
  'comment_annotation.priority_change': 'members',
  'comment_annotation.assign': 'members',
  'comment_annotation.suggestion_accept': 'involved',
  'comment_annotation.suggestion_reject': 'involved',
  'comment_annotation.access_mode_change': null,
  'comment_annotation.delete': null,
} as const satisfies Readonly<Record<keyof typeof threadHeadlines, Reach | null>>;

/** The type of an event of a comment thread. */
export type ThreadEventType = keyof typeof emissions;

/**
 * The reason of a named user's notification. `byChange`: the change itself names the user; otherwise the thread does.
 */
export function whyOf(type: string | undefined, byChange: boolean): Why {
  if (!byChange || type === 'comment.reaction_add') return 'thread';
  return type === 'comment_annotation.assign' ? 'assigned' : 'mention';
}

/** The e-mail addresses of users as sent, by the customer's ids. */
export const addressesIn = (people: readonly (NamedUser | undefined)[]): ReadonlyMap<string, string> =>
  new Map(
    people.flatMap((user) =>
      typeof user?.['email'] === 'string' && user['email'] !== ''
        ? [[user.userId, user['email']] as const]
        : [],
    ),
  );

interface Emission {
  /** Null for changes without a notification. */
  readonly headline: string | null;
  readonly reach: Reach;
}

export function emissionOf(type: ThreadEventType): Emission {
  const reach = emissions[type];
  return reach === null ? { headline: null, reach: 'named' } : { headline: threadHeadlines[type], reach };
}

/** A rendered comment. `key`: its surrogate key. */
export interface EmittedComment {
  readonly key: string;
  readonly commentId: number;
  readonly view: object;
  /** The text, and the users that its marks may name. */
  readonly text: string;
  readonly tagged: readonly NamedUser[];
}

/** A change of a locked thread, a comment or a reaction whose emission was requested. */
export interface ThreadChange {
  readonly type: ThreadEventType;
  readonly actor: NamedUser;
  /** The thread after the change, or before its own deletion. */
  readonly thread: ThreadRow;
  readonly people: ThreadPeople;
  readonly comment?: EmittedComment | undefined;
  /** Members of the event other than `targetComment` and the common ones. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** `changes` of the activity log. */
  readonly changes?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  /** The customer's ids of users that the change itself names. */
  readonly named: readonly string[];
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}
