import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { codecs, pack, plainBytes, unpack, unpackedLength } from '../../../domain/crdt/stored-bytes.ts';

describe('stored Yjs bytes', () => {
  it.each([0, 4_095, 4_096, 65_535, 65_536, 65_791, 65_792, 300_000, 20_000_000])(
    'tell the length of %i bytes before they are unpacked',
    (length) => {
      const stored = pack(Buffer.alloc(length, 'steward'));
      expect(unpackedLength(stored)).toBe(length);
      expect(unpack(stored)).toHaveLength(length);
    },
  );

  it('tell the length of bytes that are not compressed', () => {
    const bytes = randomBytes(10_000);
    expect(pack(bytes)).toEqual(plainBytes(bytes));
    expect(unpackedLength(pack(bytes))).toBe(10_000);
  });

  it('are of unknown length where their frame does not tell it', () => {
    // A window of 1 KiB, an empty last block.
    const frame = Buffer.from('28b52ffd0000010000', 'hex');
    const stored = { bytes: frame, codec: codecs.zstd };
    expect(unpack(stored)).toHaveLength(0);
    expect(unpackedLength(stored)).toBe(Infinity);
  });
});
