import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

/** What a random credential or id is for: its prefix says so wherever it turns up. */
export type TokenPrefix =
  'ws' | 'wst' | 'key' | 'tok' | 'job' | 'evt' | 'ep' | 'op' | 'req' | 'act' | 'ntf' | 'ask';

const tokenBytes = 24;
const timeBytes = 6;

/** Random bytes are drawn for many tokens at once: a call to the system for each would cost more than the token. */
const pool = Buffer.alloc(tokenBytes * 128);
let used = pool.length;

/** `<prefix>_` and 192 random bits in base64url. */
export const randomToken = (prefix: TokenPrefix): string => write(prefix, next());

/**
 * The same, but begun with the milliseconds of its making, 48 bits, before 144 random ones: for ids of rows that come in
 * millions. Those of one time stand side by side in an index; random ones would each touch another page of it.
 */
export function timedToken(prefix: TokenPrefix): string {
  const at = next();
  pool.writeUIntBE(Date.now(), at, timeBytes);
  return write(prefix, at);
}

/** Where the bytes of the next token stand. */
function next(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += tokenBytes;
  return used - tokenBytes;
}

function write(prefix: TokenPrefix, at: number): string {
  const token = pool.toString('base64url', at, at + tokenBytes);
  // What was handed out is not kept.
  pool.fill(0, at, at + tokenBytes);
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
