import { describe, expect, it } from '@jest/globals';
import { callerAddresses } from '../../../../api/http/caller/address.ts';

describe('the address of a caller', () => {
  const behind = callerAddresses(['10.0.0.0/8', '192.168.0.0/16', '2001:db8:aaaa::/48']);

  it('is the connected address when no proxy is trusted, whatever the header contains', () => {
    const direct = callerAddresses([]);
    expect(direct('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(direct('::ffff:198.51.100.7', undefined)).toBe('198.51.100.7');
    expect(direct('2001:DB8:0:0::1', undefined)).toBe('2001:db8::1');
    expect(direct('fe80::1%eth0', undefined)).toBe('fe80::1');
    expect(direct(undefined, undefined)).toBe('');
  });

  it('is the connected address when that is not a trusted proxy', () => {
    expect(behind('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(behind('', '203.0.113.9')).toBe('');
  });

  it('is the last untrusted entry, so that entries which the caller sent do not count', () => {
    expect(behind('10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(behind('::ffff:10.0.0.1', '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(behind('10.0.0.1', '1.1.1.1,203.0.113.9 ,192.168.1.1,\t10.2.3.4')).toBe('203.0.113.9');
    expect(behind('2001:db8:aaaa::1', '203.0.113.9, ::ffff:10.0.0.2')).toBe('203.0.113.9');
  });

  it('is the first entry when every entry is a trusted proxy', () => {
    expect(behind('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  });

  it('is read with a port, brackets or a zone, and returned in canonical form', () => {
    for (const [entry, address] of [
      ['203.0.113.9:4711', '203.0.113.9'],
      ['[2001:DB8::0009]:443', '2001:db8::9'],
      ['[2001:db8::9]', '2001:db8::9'],
      ['2001:0db8:0:0:0:0:0:9', '2001:db8::9'],
      ['fe80::9%eth0', 'fe80::9'],
      ['[fe80::9%25eth0]:80', 'fe80::9'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
    ] as const)
      expect([entry, behind('10.0.0.1', entry)]).toEqual([entry, address]);
  });

  it('is that of the proxy that added an entry which is no address', () => {
    for (const entry of [
      '',
      ' ',
      ',',
      'unknown',
      '_hidden',
      '203.0.113',
      '0xcb.0.0x71.9',
      '203.0.113.09',
      '[2001:db8::9',
      '"203.0.113.9"',
      'for=203.0.113.9',
      `${'9'.repeat(10_000)}.1.1.1`,
      '203.0.113.9\u0000',
    ])
      expect([entry, behind('10.0.0.1', entry)]).toEqual([entry, '10.0.0.1']);
    expect(behind('10.0.0.1', '203.0.113.9, unknown, 10.0.0.2')).toBe('10.0.0.2');
  });

  it('is searched in at most 32 entries', () => {
    expect(behind('10.0.0.1', `203.0.113.9, ${Array(31).fill('10.0.0.2').join(', ')}`)).toBe('203.0.113.9');
    expect(behind('10.0.0.1', `203.0.113.9, ${Array(32).fill('10.0.0.2').join(', ')}`)).toBe('10.0.0.2');
    expect(behind('10.0.0.1', `203.0.113.9${',10.0.0.2'.repeat(200_000)}`)).toBe('10.0.0.2');
  });
});
