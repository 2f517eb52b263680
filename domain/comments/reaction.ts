import type { NamedUser } from './comment.ts';

/** A reaction as stored. */
export interface ReactionBody {
  readonly from: NamedUser;
}
