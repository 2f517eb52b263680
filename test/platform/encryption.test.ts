import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyIdOf, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sameSecret, timedToken } from '../../platform/encryption/tokens.ts';

const aKey = (id: string) => ({ id, key: randomBytes(32) });
const context = { table: 'auth_token', column: 'token_enc', row: '1', tenant: '7' };

describe('a sealed secret', () => {
  it('decrypts in its AAD context with any bytes, and differs each time', () => {
    const ring = new KeyRing([aKey('k1')]);
    for (const secret of [
      Buffer.alloc(0),
      Buffer.from([0, 255, 128]),
      Buffer.from('🦊'),
      randomBytes(100_000),
    ]) {
      const sealed = ring.encrypt(secret, context);
      expect(ring.decryptBytes(sealed, context)).toEqual(secret);
      expect(ring.encrypt(secret, context)).not.toEqual(sealed);
    }
    expect(ring.decrypt(ring.encrypt('text', context), context)).toBe('text');
  });

  it('does not decrypt in another table, column, row or tenant', () => {
    const ring = new KeyRing([aKey('k1')]);
    const sealed = ring.encrypt('secret', context);
    for (const member of ['table', 'column', 'row', 'tenant'] as const) {
      expect(() => ring.decrypt(sealed, { ...context, [member]: 'other' })).toThrow();
    }
    const shifted = { ...context, row: '17', tenant: '' };
    expect(() =>
      ring.decrypt(ring.encrypt('secret', { ...context, row: '1', tenant: '7' }), shifted),
    ).toThrow();
  });

  it('that was changed does not decrypt, and the error does not contain it', () => {
    const ring = new KeyRing([aKey('k1')]);
    const sealed = ring.encrypt('very-secret', context);
    for (let index = 0; index < sealed.length; index += 1) {
      const touched = Buffer.from(sealed);
      touched.writeUInt8(touched.readUInt8(index) ^ 1, index);
      expect(() => ring.decrypt(touched, context)).toThrow(/^(?!.*very-secret)/);
    }
    for (const cut of [0, 1, 2, 10, sealed.length - 1]) {
      expect(() => ring.decrypt(sealed.subarray(0, cut), context)).toThrow();
    }
  });

  it('of release 0.2.0 decrypts', () => {
    const sealed = Buffer.from('AQVmaXJzdHs-q_mr3VmEJR69HQuutsbaKeCGwAKAg_HJLiaEVf0T2p8', 'base64url');
    const ring = new KeyRing([{ id: 'first', key: Buffer.alloc(32, 1) }]);
    const of = { table: 'table', column: 'column', row: 'row', tenant: 'tenant' };
    expect(ring.decrypt(sealed, of)).toBe('secret');
  });

  it('of an earlier key decrypts while that key is configured', () => {
    const [former, present] = [aKey('former'), aKey('present')];
    const sealed = new KeyRing([former]).encrypt('secret', context);
    const both = new KeyRing([present, former]);
    expect(both.decrypt(sealed, context)).toBe('secret');
    expect(keyIdOf(both.encrypt('secret', context))).toBe('present');
    expect(() => new KeyRing([present]).decrypt(sealed, context)).toThrow('"former"');
    const impostor = { id: 'former', key: randomBytes(32) };
    expect(() => new KeyRing([impostor]).decrypt(sealed, context)).toThrow();
  });
});

describe('a token', () => {
  it('with a time has a prefix in common with tokens of that time, and 144 random bits', () => {
    const before = Date.now();
    const tokens = Array.from({ length: 1_000 }, () => timedToken('evt'));
    const times = tokens.map((token) =>
      Buffer.from(token.slice('evt_'.length), 'base64url').readUIntBE(0, 6),
    );
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
    expect(new Set(tokens.map((token) => token.slice(-24))).size).toBe(1_000);
    for (const token of tokens) expect(token).toMatch(/^evt_[\w-]{32}$/);
  });

  it('has the prefix of its kind and 192 random bits', () => {
    const tokens = Array.from({ length: 1_000 }, () => randomToken('tok'));
    expect(new Set(tokens).size).toBe(1_000);
    for (const token of tokens) expect(token).toMatch(/^tok_[\w-]{32}$/);
  });

  it('is compared completely', () => {
    expect([sameSecret('a', 'a'), sameSecret('a', 'b'), sameSecret('a', ''), sameSecret('a', 'aa')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
