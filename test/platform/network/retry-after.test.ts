import { describe, expect, it } from '@jest/globals';
import { retryAfterMsOf } from '../../../platform/network/retry-after.ts';

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21, 10);

  it('is whole seconds or a date', () => {
    expect(retryAfterMsOf('120', now)).toBe(120_000);
    expect(retryAfterMsOf(' 7 ', now)).toBe(7_000);
    expect(retryAfterMsOf('Sat, 21 Nov 2026 10:01:00 GMT', now)).toBe(60_000);
  });

  it('is the first of repeated headers that were joined', () => {
    expect(retryAfterMsOf('120, 5', now)).toBe(120_000);
    expect(retryAfterMsOf('Sat, 21 Nov 2026 10:01:00 GMT, 5', now)).toBe(60_000);
  });

  it.each(['0', '-5', 'soon', '', '1e9', 'Sat, 21 Nov 2020 10:01:00 GMT', undefined, null])(
    'is ignored when it is %s',
    (header) => {
      expect(retryAfterMsOf(header, now)).toBeUndefined();
    },
  );
});
