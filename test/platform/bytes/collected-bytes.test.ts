import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CollectedBytes } from '../../../platform/bytes/collected-bytes.ts';

describe('collected bytes', () => {
  it('are those of the chunks, in their order', () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(1_023, 4_095, 4_096, 5_000, 70_000),
    );
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
        const chunks = sizes.map((bytes, index) => Buffer.alloc(bytes, index + 1));
        const collected = new CollectedBytes();
        for (const chunk of chunks) collected.add(chunk);
        const all = Buffer.concat(chunks);
        expect(collected.length).toBe(all.length);
        expect(collected.whole().equals(all)).toBe(true);
        expect(collected.whole().equals(all)).toBe(true);
      }),
    );
  });

  it('do not take an object for each of many small chunks', () => {
    const collected = new CollectedBytes();
    const before = process.memoryUsage();
    for (let count = 0; count < 1_000_000; count += 1) collected.add(Buffer.from('x'));
    const { heapUsed } = process.memoryUsage();
    // A buffer of 100 bytes for each would be 100 MB.
    expect(heapUsed - before.heapUsed).toBeLessThan(50_000_000);
    expect(collected.whole().length).toBe(1_000_000);
  });

  it('do not keep the rest of a larger buffer', () => {
    const read = Buffer.alloc(300_000, 1);
    for (const bytes of [100, 4_096, 100_000]) {
      const collected = new CollectedBytes();
      const chunk = read.subarray(1_000, 1_000 + bytes);
      for (let count = 0; count < 3; count += 1) collected.add(chunk);
      expect(collected.whole().equals(Buffer.concat([chunk, chunk, chunk]))).toBe(true);
      const one = new CollectedBytes();
      one.add(chunk);
      expect(one.whole().buffer).not.toBe(read.buffer);
    }
  });

  it('are not copied when they are one chunk, which is kept when the others are cleared', () => {
    const collected = new CollectedBytes();
    const chunk = Buffer.alloc(20_000, 1);
    collected.add(chunk);
    const whole = collected.whole();
    expect(whole.buffer).toBe(chunk.buffer);
    collected.clear(whole);
    expect(collected.length).toBe(0);
    expect(whole).toHaveLength(20_000);
  });
});
