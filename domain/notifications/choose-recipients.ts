import type { PreferenceInForce, PreferenceSource, Preference, Channel } from './preferences.ts';

/** Someone who may get a notification. */
export interface Candidate {
  /** The customer's id, and the surrogate key. */
  readonly userId: string;
  readonly user: string;
  /** As the caller sent it. */
  readonly email: string | null;
  /** The caller named this person; else it is a member of the document. */
  readonly named: boolean;
  /** False when the caller wants permissions to be verified and this person may not reach the document. */
  readonly hasAccess: boolean;
}

export const choiceReasons = ['named', 'member', 'no-access', 'inbox-none', 'inbox-mine'] as const;
export type ChoiceReason = (typeof choiceReasons)[number];

/** What was decided about a candidate, and why. */
export interface Choice {
  readonly candidate: Candidate;
  /** The notification comes into this person's inbox. */
  readonly notified: boolean;
  readonly reason: ChoiceReason;
  /** On which ways the person wants it; of use to a sender of the customer's own. */
  readonly channels: Readonly<Record<Channel, boolean>>;
  /** The nearest place at which the person said what it wants. */
  readonly source: PreferenceSource;
}

/**
 * Who gets a notification, decided here and nowhere else: NONE drops everyone, MINE who was not named by the caller, and
 * missing access, where it is to be verified, drops whoever it is missing to.
 */
export function choose(candidate: Candidate, { preference, source }: PreferenceInForce): Choice {
  const { named, hasAccess } = candidate;
  const wanted = (channel: Channel): boolean => hasAccess && reaches(preference[channel], named);
  const channels = { inbox: wanted('inbox'), email: wanted('email'), slack: wanted('slack') };
  return { candidate, notified: channels.inbox, reason: reasonOf(candidate, preference), channels, source };
}

const reaches = (level: Preference[Channel], named: boolean): boolean =>
  level === 'ALL' || (level === 'MINE' && named);

function reasonOf({ named, hasAccess }: Candidate, { inbox }: Preference): ChoiceReason {
  if (!hasAccess) return 'no-access';
  if (inbox === 'NONE') return 'inbox-none';
  if (named) return 'named';
  return inbox === 'MINE' ? 'inbox-mine' : 'member';
}
