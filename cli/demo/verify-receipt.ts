import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ResultOf } from '../../client/create-client.ts';
import { proven } from './proven.ts';

type Receipt = NonNullable<ResultOf<'/v2/users/data/delete/status'>['data']['receipt']>;

interface Jwks {
  readonly keys: readonly (JsonWebKey & { readonly kid: string })[];
}

/** As an auditor would: with the published keys and nothing else of Steward's. Answers the id of the key; throws when it is no proof. */
export async function verifyReceipt(baseUrl: string, receipt: Receipt, signal: AbortSignal): Promise<string> {
  const response = await fetch(`${baseUrl}/.well-known/jwks.json`, { signal });
  const { keys } = (await response.json()) as Jwks;
  const [header = '', payload = '', signature = ''] = receipt.jws.split('.');
  const { kid } = decoded(header) as { kid: string };
  const key = keys.find((known) => known.kid === kid);
  proven(key !== undefined, `The receipt is signed by ${kid}, which is not published.`);
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const signed = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  proven(signed, 'The signature of the receipt is wrong.');
  const { jws: _itself, ...said } = receipt;
  const { iss: _issuer, aud: _apiKey, ...sworn } = decoded(payload) as Record<string, unknown>;
  proven(isDeepStrictEqual(sworn, said), 'The receipt says something else than what is signed.');
  return kid;
}

const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
