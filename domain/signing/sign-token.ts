import { SignJWT } from 'jose';
import type { TokenKey } from './token-keys.ts';

/** A JWT in its compact form, signed with Ed25519 (`EdDSA`). */
export const signToken = async (key: TokenKey, claims: object): Promise<string> =>
  await signAs('JWT', key, claims);

/** A JWT of another `typ`: nothing signed for one purpose is accepted for another. Members are signed in the order given. */
export async function signAs(typ: string, { kid, privateKey }: TokenKey, claims: object): Promise<string> {
  return await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(privateKey);
}
