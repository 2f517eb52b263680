import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { addressRule } from '../../../platform/outbound/address-rules.ts';
import { casesOf } from '../../support/tier.ts';

describe('the address rule', () => {
  const open = addressRule([]);

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '168.63.129.17',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('allows %s', (address) => expect(open(address)).toBe(true));

  it.each([
    ['private', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12::1 fec0::1'],
    ['loopback', '127.0.0.1 127.255.255.254 ::1'],
    ['unspecified', '0.0.0.0 0.1.2.3 ::'],
    ['link-local', '169.254.0.1 fe80::1'],
    ['metadata', '169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254'],
    ['multicast and broadcast', '224.0.0.1 239.255.255.255 255.255.255.255 240.0.0.1 ff02::1'],
    ['mapped and compatible', '::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::7f00:1'],
    ['6to4, Teredo and NAT64', '2002:7f00:1:: 192.88.99.1 2001::1 64:ff9b::7f00:1 64:ff9b:1::1'],
    ['documentation and benchmarks', '192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 2001:db8::1 3fff::1'],
    ['discarded and reserved', '100::1 5f00::1 4000::1 e000::1'],
    ['zoned', 'fe80::1%eth0 2606:4700::1111%1'],
    ['no', 'localhost 127.1 1 [::1] 0x7f.0.0.1 127.0.0.1:80 '],
  ])('rejects %s addresses', (_kind, addresses) => {
    for (const address of addresses.split(' ')) expect([address, open(address)]).toEqual([address, false]);
  });

  it('allows the listed networks, but not the addresses mapped to them', () => {
    const allowed = addressRule(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8']);
    expect(['127.0.0.1', '10.1.2.3', 'fd12::1', '8.8.8.8'].map(allowed)).toEqual([true, true, true, true]);
    expect(
      ['10.2.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fe80::1', 'fd12::1%1'].map(allowed),
    ).toEqual([false, false, false, false, false, false]);
  });

  it('allows no address that ipaddr.js does not classify as unicast', () => {
    // Half of the addresses are near the bounds of refused ranges, where mistakes are likely.
    const edges = [
      0, 1, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 0x2001, 0x2002, 0x3fff, 0xff9b,
    ];
    const part = (max: number) =>
      fc.oneof(fc.integer({ min: 0, max }), fc.constantFrom(...edges.filter((edge) => edge <= max)));
    const four = fc.array(part(255), { minLength: 4, maxLength: 4 }).map((parts) => parts.join('.'));
    const six = fc
      .array(part(0xffff), { minLength: 8, maxLength: 8 })
      .map((parts) => parts.map((group) => group.toString(16)).join(':'));
    fc.assert(
      fc.property(fc.oneof(four, six), (address) => {
        if (open(address)) expect([address, ipaddr.parse(address).range()]).toEqual([address, 'unicast']);
      }),
      { numRuns: casesOf(20_000) },
    );
  });
});
