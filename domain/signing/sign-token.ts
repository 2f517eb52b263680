import { sign } from 'node:crypto';
import type { TokenKey } from './token-keys.ts';

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JWT in its compact form, signed with Ed25519 (`EdDSA`). */
export function signToken({ kid, privateKey }: TokenKey, claims: object): string {
  const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid })}.${encoded(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}
