import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

/** What a random credential or id is for: its prefix says so wherever it turns up. */
export type TokenPrefix =
  'ws' | 'wst' | 'key' | 'tok' | 'job' | 'evt' | 'ep' | 'op' | 'req' | 'act' | 'ntf' | 'ask';

const tokenBytes = 24;

/** Random bytes are drawn for many tokens at once: a call to the system for each would cost more than the token. */
const pool = Buffer.alloc(tokenBytes * 128);
let used = pool.length;

/** `<prefix>_` and 192 random bits in base64url. */
export function randomToken(prefix: TokenPrefix): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const token = pool.toString('base64url', used, used + tokenBytes);
  // What was handed out is not kept.
  pool.fill(0, used, used + tokenBytes);
  used += tokenBytes;
  return `${prefix}_${token}`;
}

/** Credentials are looked up by this, so that neither an index nor a dump of it holds one. */
export function sha256(text: string | Buffer): Buffer {
  // By way of a text, the bytes stand in memory that Node keeps for small buffers; alone, each would be collected by itself.
  return Buffer.from(hash('sha256', text, 'base64'), 'base64');
}

/** Compares without telling by its time where two secrets differ. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
