import { describe, expect, it } from '@jest/globals';
import { assert, property, uint8Array } from 'fast-check';
import { KeyRing, keyIdOf, type SecretPlace } from '../../platform/encryption/key-ring.ts';

const key = (id: string) => ({ id, key: Buffer.alloc(32, id) });
const place: SecretPlace = { table: 'api_key', column: 'key_enc', row: '1', tenant: '2' };

describe('a sealed secret', () => {
  it('opens at its place and says which key sealed it, whatever it holds', () => {
    const ring = new KeyRing([key('k1')]);
    assert(
      property(uint8Array({ maxLength: 2_000 }), (bytes) => {
        const secret = Buffer.from(bytes);
        const sealed = ring.encrypt(secret, place);
        expect(ring.decryptBytes(sealed, place)).toEqual(secret);
        expect(keyIdOf(sealed)).toBe('k1');
      }),
    );
  });

  it('never looks the same twice', () => {
    const ring = new KeyRing([key('k1')]);
    expect(ring.encrypt('secret', place)).not.toEqual(ring.encrypt('secret', place));
  });

  it.each(['table', 'column', 'row', 'tenant'] as const)('does not open at another %s', (part) => {
    const ring = new KeyRing([key('k1')]);
    const sealed = ring.encrypt('secret', place);
    expect(() => ring.decrypt(sealed, { ...place, [part]: 'other' })).toThrow();
  });

  it('does not open where the parts of a place are only cut differently', () => {
    const ring = new KeyRing([key('k1')]);
    const sealed = ring.encrypt('secret', { ...place, row: '12', tenant: '3' });
    expect(() => ring.decrypt(sealed, { ...place, row: '1', tenant: '23' })).toThrow();
  });

  it('does not open when any byte of it was changed', () => {
    const ring = new KeyRing([key('k1')]);
    const sealed = ring.encrypt('secret', place);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(index) ^ 1, index);
      expect(() => ring.decrypt(changed, place)).toThrow();
    }
  });

  it('opens with a key that is no longer the first, and is sealed with the one that is', () => {
    const sealed = new KeyRing([key('old')]).encrypt('secret', place);
    const ring = new KeyRing([key('new'), key('old')]);
    expect(ring.decrypt(sealed, place)).toBe('secret');
    expect(keyIdOf(ring.encrypt('secret', place))).toBe('new');
  });

  it('tells only the id of a key that is missing', () => {
    const sealed = new KeyRing([key('old')]).encrypt('the secret itself', place);
    expect(() => new KeyRing([key('new')]).decrypt(sealed, place)).toThrow(
      'No encryption key with the id "old" is configured (api_key.key_enc).',
    );
  });
});
