import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidMember } from '../../../domain/errors.ts';
import { TokenSealer } from '../../../platform/encryption/seal.ts';
import { httpMessages } from '../messages.ts';
import type { Position } from './page-reader.ts';

/** The list that a token belongs to. A token is invalid for any other list. */
export interface CursorScope {
  /** Surrogate key of the tenant or workspace. */
  readonly owner: string;
  readonly path: string;
  /** Members of the request's data, except those for paging. */
  readonly filters: unknown;
}

/** Length of the MAC that prefixes a token of release 0.1.0. */
const signedMacLength = 16;

/**
 * Opaque page tokens: a position, sealed and bound to its list by the AAD. A position has at most two ids of customers,
 * so a token has at most 5,380 characters. docs/versioning.md promises 8,000.
 */
export class Cursors {
  readonly #sealer: TokenSealer;
  /** HMAC key of release 0.1.0, whose tokens were signed and not encrypted. */
  readonly #signing: Buffer;

  constructor(secret: Buffer) {
    this.#sealer = new TokenSealer(secret, 'page');
    this.#signing = secret;
  }

  write(scope: CursorScope, position: Position): string {
    const payload = Buffer.from(JSON.stringify(position), 'utf8');
    return this.#sealer.seal(payload, digestOf(scope)).toString('base64url');
  }

  /** Throws INVALID_ARGUMENT for a damaged token or one of another list. `member` names the request member. */
  read(scope: CursorScope, token: string, member = 'pageToken'): Position {
    const bytes = Buffer.from(token, 'base64url');
    const list = digestOf(scope);
    // Node's decoder skips invalid characters, so the text must round-trip to count as a token.
    const payload =
      bytes.toString('base64url') === token
        ? (this.#sealer.open(bytes, list) ?? this.#signed(list, bytes))
        : undefined;
    if (payload === undefined) throw invalidMember(member, httpMessages.cursorNotValid(member));
    return JSON.parse(payload.toString('utf8')) as Position;
  }

  /** Reads a token of release 0.1.0, so that clients can page on across an upgrade. Remove with the release after next. */
  #signed(list: Buffer, bytes: Buffer): Buffer | undefined {
    if (bytes.length <= signedMacLength) return undefined;
    const payload = bytes.subarray(signedMacLength);
    const mac = createHmac('sha256', this.#signing).update(list).update(payload).digest();
    const intact = timingSafeEqual(bytes.subarray(0, signedMacLength), mac.subarray(0, signedMacLength));
    return intact ? payload : undefined;
  }
}

const digestOf = ({ owner, path, filters }: CursorScope): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([owner, path, filters]))
    .digest();
