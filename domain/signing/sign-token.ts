import { sign } from 'node:crypto';
import type { TokenKey } from './token-keys.ts';

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JWT in its compact form, signed with Ed25519 (`EdDSA`). */
export const signToken = (key: TokenKey, claims: object): string => signAs('JWT', key, claims);

/** A JWS of another type in the same form: `typ` keeps one thing that was signed from being taken for another. */
export function signAs(typ: string, { kid, privateKey }: TokenKey, payload: object): string {
  const signed = `${encoded({ alg: 'EdDSA', typ, kid })}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}
