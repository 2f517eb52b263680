import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canEncrypt } from '../../../domain/configuration/rsa-public-key.ts';

const own = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' });

function accepted(key: JsonWebKey): boolean {
  const spki = createPublicKey({ key, format: 'jwk' }).export({ format: 'der', type: 'spki' });
  return canEncrypt({ encryptData: true, publicKey: spki.toString('base64') });
}

function withEvenModulus({ n = '', ...rest }: JsonWebKey): JsonWebKey {
  const bytes = Buffer.from(n, 'base64url');
  bytes[bytes.length - 1] = 2;
  return { ...rest, n: bytes.toString('base64url') };
}

describe('the public key of webhooks', () => {
  it('is accepted when a message can be encrypted with it', () => {
    expect(accepted(own)).toBe(true);
  });

  it.each([
    ['an exponent as large as the modulus', { ...own, e: own.n ?? '' }],
    ['an even modulus', withEvenModulus(own)],
  ])('is refused with %s, which OpenSSL parses but does not use', (_what, key) => {
    expect(accepted(key)).toBe(false);
  });
});
