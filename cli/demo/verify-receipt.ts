import { isDeepStrictEqual } from 'node:util';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { UsersDataGetDeletionStatusResponse } from '../../packages/client/source/steward.ts';
import { proven } from './proven.ts';

type Receipt = NonNullable<UsersDataGetDeletionStatusResponse['data']['receipt']>;

/** Verifies a receipt with only the published keys, like an auditor. Returns the key id; throws when verification fails. */
export async function verifyReceipt(baseUrl: string, receipt: Receipt, signal: AbortSignal): Promise<string> {
  const response = await fetch(`${baseUrl}/.well-known/jwks.json`, { signal });
  const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
  const { payload, protectedHeader } = await jwtVerify(receipt.jws, keys, {
    typ: 'user-data-deletion-receipt+jws',
    algorithms: ['EdDSA'],
  });
  const { jws: _itself, ...stated } = receipt;
  const { iss: _issuer, aud: _apiKey, ...signed } = payload;
  proven(isDeepStrictEqual(signed, stated), 'The receipt differs from its signed payload.');
  return protectedHeader.kid ?? '';
}
