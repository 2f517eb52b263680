import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Prefixes that identify the kind of a random credential or id. */
export type TokenPrefix =
  | 'ws'
  | 'wst'
  | 'key_0'
  | 'tok'
  | 'job'
  | 'evt'
  | 'ep'
  | 'op'
  | 'opt'
  | 'optk'
  | 'req'
  | 'act'
  | 'ntf'
  | 'rec'
  | 'dlv'
  | 'ann'
  | 'ask'
  | 'proc'
  | 'ses'
  | 'code';

const tokenBytes = 24;
const timeBytes = 6;

/**
 * Random bytes for many tokens: a system call for each token would cost more than the token. Without it, single writes of
 * activity logs fall from 0.89 to 0.77 of the baseline (docs/benchmarks.md).
 */
const pool = Buffer.alloc(tokenBytes * 128);
let used = pool.length;

/** `<prefix>_` and 192 random bits in base64url. */
export const randomToken = (prefix: TokenPrefix): string => write(prefix, next());

/**
 * `<prefix>_`, 48 bits of creation time in milliseconds and 144 random bits: for ids of tables with millions of rows. New
 * rows share index pages; random ids would each touch another page.
 */
export function timedToken(prefix: TokenPrefix): string {
  const at = next();
  pool.writeUIntBE(Date.now(), at, timeBytes);
  return write(prefix, at);
}

/**
 * Ids for the new records of one call, ascending in collation "C". Statements insert in the order of ids, and records of
 * equal times are listed in the order in which they were inserted.
 */
export const timedTokens = (prefix: TokenPrefix, count: number): string[] =>
  Array.from({ length: count }, () => timedToken(prefix)).toSorted();

/** The offset of the next token's bytes in `pool`. */
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
  // Do not keep issued credentials in memory.
  pool.fill(0, at, at + tokenBytes);
  return `${prefix}_${token}`;
}

/** Credentials are looked up by this hash, so that neither an index nor a dump contains one. */
export function sha256(text: string | Buffer): Buffer {
  // Through base64, the bytes land in Node's pool for small buffers, which saves one garbage-collected allocation each.
  return Buffer.from(hash('sha256', text, 'base64'), 'base64');
}

/** Compares two secrets in constant time. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
