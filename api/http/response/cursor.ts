import { createHash } from 'node:crypto';
import { invalidMember } from '../../../domain/errors.ts';
import { TokenSealer } from '../../../platform/encryption/seal.ts';
import { httpMessages } from '../messages.ts';
import type { Position } from './page-reader.ts';

/** The list that a token belongs to. A token is invalid for any other list. */
export interface CursorScope {
  /** Kind and surrogate key of the caller, such as `apiKey/1` (`ownerOf`). */
  readonly owner: string;
  readonly path: string;
  /** Members of the request's data, except those for paging. */
  readonly filters: unknown;
}

/**
 * Opaque page tokens: a position, sealed and bound to its list by the AAD. A position has at most two ids of customers,
 * so a token has at most 5,380 characters. docs/versioning.md promises 8,000.
 */
export class Cursors {
  readonly #sealer: TokenSealer;

  constructor(secret: Buffer) {
    this.#sealer = new TokenSealer(secret, 'page');
  }

  write(scope: CursorScope, position: Position): string {
    const payload = Buffer.from(JSON.stringify(position), 'utf8');
    return this.#sealer.seal(payload, digestOf(scope)).toString('base64url');
  }

  /** Throws INVALID_ARGUMENT for a damaged token or one of another list. `member` names the request member. */
  read(scope: CursorScope, token: string, member = 'pageToken'): Position {
    const bytes = Buffer.from(token, 'base64url');
    // Node's decoder skips invalid characters, so the text must round-trip to count as a token.
    const payload =
      bytes.toString('base64url') === token ? this.#sealer.open(bytes, digestOf(scope)) : undefined;
    if (payload === undefined) throw invalidMember(member, httpMessages.cursorNotValid(member));
    return JSON.parse(payload.toString('utf8')) as Position;
  }
}

const digestOf = ({ owner, path, filters }: CursorScope): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([owner, path, filters]))
    .digest();
