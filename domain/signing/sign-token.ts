import { SignJWT } from 'jose';
import type { TokenKey } from './token-keys.ts';

/** Signs a compact JWT with Ed25519 (`EdDSA`). */
export const signToken = async (key: TokenKey, claims: object): Promise<string> =>
  await signAs('JWT', key, claims);

/** Signs with its own `typ`, so that no token is valid for another purpose. Keeps the order of claims. */
export async function signAs(typ: string, { kid, privateKey }: TokenKey, claims: object): Promise<string> {
  return await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(privateKey);
}
