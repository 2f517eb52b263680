import type { PreferenceInForce, PreferenceSource, Preference, Channel } from './preferences.ts';

/** A potential recipient of a notification. */
export interface Candidate {
  /** The customer's id; `user` is the surrogate key. */
  readonly userId: string;
  readonly user: string;
  /** The address in the request. */
  readonly email: string | null;
  /** Named by the caller; otherwise a member of the document. */
  readonly named: boolean;
  /** False when permissions are verified and the user has no access to the document. */
  readonly hasAccess: boolean;
}

export const choiceReasons = ['named', 'member', 'no-access', 'inbox-none', 'inbox-mine'] as const;
export type ChoiceReason = (typeof choiceReasons)[number];

/** The decision about a candidate and its reason. */
export interface Choice {
  readonly candidate: Candidate;
  /** The user receives the notification in the inbox. */
  readonly notified: boolean;
  readonly reason: ChoiceReason;
  /** The channels the user accepts. */
  readonly channels: Readonly<Record<Channel, boolean>>;
  readonly preference: Preference;
  /** The nearest level with a preference of the user. */
  readonly source: PreferenceSource;
}

/**
 * The single rule that decides whether a candidate is notified. NONE excludes everyone, MINE every candidate the caller did
 * not name, and verification every candidate without access.
 */
export function choose(candidate: Candidate, { preference, source }: PreferenceInForce): Choice {
  const { named, hasAccess } = candidate;
  const accepts = (channel: Channel): boolean => hasAccess && reaches(preference[channel], named);
  const channels = { inbox: accepts('inbox'), email: accepts('email'), slack: accepts('slack') };
  return {
    candidate,
    notified: channels.inbox,
    reason: reasonOf(candidate, preference),
    channels,
    preference,
    source,
  };
}

const reaches = (level: Preference[Channel], named: boolean): boolean =>
  level === 'ALL' || (level === 'MINE' && named);

function reasonOf({ named, hasAccess }: Candidate, { inbox }: Preference): ChoiceReason {
  if (!hasAccess) return 'no-access';
  if (inbox === 'NONE') return 'inbox-none';
  if (named) return 'named';
  return inbox === 'MINE' ? 'inbox-mine' : 'member';
}
