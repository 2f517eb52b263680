import type { Why } from '../../notices/statuses.ts';
import type { ThreadPeople } from '../read-contents.ts';
import type { ThreadRow } from '../thread-page.ts';
import type { NamedUser } from '../comment.ts';

/**
 * The recipients of a change. `members`: users that the thread involves, and members of the document. `involved`: users
 * that the thread involves. `named`: only the users that the change names.
 */
export type Reach = 'members' | 'involved' | 'named';

interface Emission {
  /** Null for changes without a notification. */
  readonly headline: string | null;
  readonly reach: Reach;
}

const to = (reach: Reach, headline: string): Emission => ({ headline, reach });
const notNotified: Emission = { headline: null, reach: 'named' };

/** The types of events of comment threads, and the headlines of their notifications. */
export const emissions = {
  'comment_annotation.add': to('members', '{actionUser} commented'),
  'comment.add': to('members', '{actionUser} commented'),
  'comment.update': to('members', '{actionUser} edited a comment'),
  'comment.delete': notNotified,
  'comment.reaction_add': to('named', '{actionUser} reacted with {icon}'),
  'comment.reaction_delete': notNotified,
  'comment_annotation.status_change': to('members', '{actionUser} changed the status to {status}'),
  'comment_annotation.priority_change': to('members', '{actionUser} changed the priority to {priority}'),
  'comment_annotation.assign': to('members', '{actionUser} assigned {assignee}'),
  'comment_annotation.suggestion_accept': to('involved', '{actionUser} accepted a suggestion'),
  'comment_annotation.suggestion_reject': to('involved', '{actionUser} rejected a suggestion'),
  'comment_annotation.access_mode_change': notNotified,
  'comment_annotation.delete': notNotified,
} as const satisfies Readonly<Record<string, Emission>>;
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

export const emissionOf = (type: ThreadEventType): Emission => emissions[type];

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
  /** The thread after the change, or before a deletion. */
  readonly thread: ThreadRow;
  readonly people: ThreadPeople;
  readonly comment?: EmittedComment | undefined;
  /** Members of the event other than `targetComment` and the common ones. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** `changes` of the activity log. */
  readonly changes?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  /** Variables of the headline other than `actionUser`. */
  readonly headlineData?: Readonly<Record<string, string>>;
  /** The customer's ids of users that the change itself names. */
  readonly named: readonly string[];
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}
