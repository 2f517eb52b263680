import { sha256 } from '../../platform/encryption/tokens.ts';
import { distinctNames } from '../users/name-index.ts';
import { namedPeople, type NamedPeople } from '../users/named-users.ts';
import type { NamedUser } from './comment.entity.ts';
import type { ReactionBody } from './reaction.entity.ts';

/** The id of all reactions to a comment with one icon. `comment` is a surrogate key. */
export const reactionId = (comment: string, icon: string): string =>
  `rea_${sha256(JSON.stringify([comment, icon]))
    .toString('base64url')
    .slice(0, 22)}`;

/** A reaction in stored form, with the users that it names. */
export interface WrittenReaction {
  readonly json: string;
  /** Bytes of `json`, as `thread.content_bytes` counts them. */
  readonly bytes: number;
  /** Every user named, with keys of free JSON and e-mail addresses. */
  readonly people: NamedPeople;
  /** The customer's ids of users named other than as the user who reacts. */
  readonly named: ReadonlySet<string>;
  /** Keys of free JSON in the form of the name index. */
  readonly names: readonly string[];
}

/** Returns the stored form of a reaction. */
export function writeReaction(from: NamedUser): WrittenReaction {
  const json = JSON.stringify({ from } satisfies ReactionBody);
  const people = namedPeople(from);
  const { userId: _userId, ...free } = from;
  return {
    json,
    bytes: Buffer.byteLength(json),
    people,
    named: namedPeople(free).userIds,
    names: distinctNames(people.keys),
  };
}
