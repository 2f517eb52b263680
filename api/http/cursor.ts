import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidMember } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import type { Position } from './answer.ts';

/** Everything that a token is bound to: it opens nowhere else. */
export interface CursorScope {
  /** Surrogate key of the tenant or workspace. */
  readonly owner: string;
  readonly path: string;
  /** The request's data without what says which page. */
  readonly filters: unknown;
}

const macLength = 16;

/** Opaque tokens: a position, signed together with the list that it belongs to. */
export class Cursors {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  write(scope: CursorScope, position: Position): string {
    const payload = Buffer.from(JSON.stringify(position), 'utf8');
    return Buffer.concat([this.#sign(scope, payload), payload]).toString('base64url');
  }

  /** Throws INVALID_ARGUMENT for a token that is damaged or of another list; `member` is where it was sent. */
  read(scope: CursorScope, token: string, member = 'pageToken'): Position {
    const bytes = Buffer.from(token, 'base64url');
    const payload = bytes.subarray(macLength);
    // Decoding passes over what is not base64url: only the exact text that was handed out is a token.
    const intact = bytes.length > macLength && bytes.toString('base64url') === token;
    if (!intact || !timingSafeEqual(bytes.subarray(0, macLength), this.#sign(scope, payload))) {
      throw invalidMember(member, messages.cursorNotValid(member));
    }
    return JSON.parse(payload.toString('utf8')) as Position;
  }

  #sign({ owner, path, filters }: CursorScope, payload: Buffer): Buffer {
    const list = createHash('sha256')
      .update(JSON.stringify([owner, path, filters]))
      .digest();
    return createHmac('sha256', this.#secret).update(list).update(payload).digest().subarray(0, macLength);
  }
}
