import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a random credential or id is for: its prefix says so wherever it turns up. */
export type TokenPrefix = 'ws' | 'wst' | 'key' | 'tok' | 'job' | 'evt' | 'op' | 'req' | 'act';

/** `<prefix>_` and 192 random bits in base64url. */
export function randomToken(prefix: TokenPrefix): string {
  return `${prefix}_${randomBytes(24).toString('base64url')}`;
}

/** Credentials are looked up by this, so that neither an index nor a dump of it holds one. */
export function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares without telling by its time where two secrets differ. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
