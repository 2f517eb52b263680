import { sha256 } from '../../platform/encryption/tokens.ts';
import type { NamedUser } from './comment.ts';

/** A reaction as stored. */
export interface ReactionBody {
  readonly from: NamedUser;
}

/** The id of all reactions to a comment with one icon. `comment` is a surrogate key. */
export const reactionId = (comment: string, icon: string): string =>
  `rea_${sha256(JSON.stringify([comment, icon]))
    .toString('base64url')
    .slice(0, 22)}`;
