import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { brokenKeyRule, isUsableKey, rsaPublicKey } from '../../../domain/configuration/rsa-public-key.ts';

const own = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' });

const spkiOf = (key: JsonWebKey): string =>
  createPublicKey({ key, format: 'jwk' }).export({ format: 'der', type: 'spki' }).toString('base64');

const broken = (key: JsonWebKey): string | undefined =>
  brokenKeyRule({ encryptData: true, publicKey: spkiOf(key) });
const accepted = (key: JsonWebKey): boolean => broken(key) === undefined;

/** A key of `bits` bits that encrypts, but that nobody can decrypt with. */
function ofSize(bits: number): JsonWebKey {
  const modulus = Buffer.alloc(bits / 8, 0xff);
  return { ...own, n: modulus.toString('base64url') };
}

function withExponent(exponent: bigint): JsonWebKey {
  const hex = exponent.toString(16);
  return { ...own, e: Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url') };
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

  it.each(['spki', 'pkcs1'] as const)(
    'is accepted as PEM of %s, also with spaces or nothing instead of its line breaks',
    (type) => {
      const key = createPublicKey({ key: own, format: 'jwk' });
      const pem = key.export({ format: 'pem', type }).toString();
      for (const lineBreak of ['\n', '\r\n', ' ', ''])
        expect(rsaPublicKey(pem.replaceAll('\n', lineBreak))?.equals(key)).toBe(true);
    },
  );

  it.each([3n, 65_537n, 2n ** 32n - 1n])('is accepted with the exponent %d', (exponent) => {
    expect(accepted(withExponent(exponent))).toBe(true);
  });

  it.each([2n ** 32n + 1n, 2n ** 64n + 1n, 2n ** 2_046n + 1n])(
    'is neither accepted nor used with the exponent %d, which takes longer',
    (exponent) => {
      expect(accepted(withExponent(exponent))).toBe(false);
      expect(rsaPublicKey(spkiOf(withExponent(exponent)))).toBeUndefined();
    },
  );

  it('is accepted with 2,048 to 8,192 bits', () => {
    expect([2_040, 2_048, 8_192, 8_200].map((bits) => broken(ofSize(bits)))).toEqual([
      'must be an RSA public key of at least 2048 bits.',
      undefined,
      undefined,
      'must be an RSA public key of 2048 to 8192 bits with an exponent of at most 2^32.',
    ]);
  });

  it.each([
    ['an exponent as large as the modulus', { ...own, e: own.n ?? '' }],
    ['an even modulus', withEvenModulus(own)],
  ])('is refused with %s, which OpenSSL parses but does not use', (_what, key) => {
    expect(accepted(key)).toBe(false);
    expect([isUsableKey(spkiOf(key)), isUsableKey(spkiOf(key)), isUsableKey(spkiOf(own))]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
