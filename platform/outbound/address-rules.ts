import { isIPv4, isIPv6 } from 'node:net';
import { blockList, inNetworks } from '../network/networks.ts';

/** IPv4 networks that customers' URLs may not reach. */
const refusedIPv4 = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; metadata of some clouds
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure host
  ['169.254.0.0', 16], // link-local; cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; metadata of some clouds
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112: reverse DNS of private addresses
  ['192.52.193.0', 24], // multicast relays
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/**
 * Only global unicast is allowed, which excludes loopback, unique local, link-local, multicast, mapped and NAT64 addresses.
 * `refusedIPv6` lists the refused networks within it.
 */
const globalIPv6 = ['2000::', 3] as const;
const refusedIPv6 = [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3ffe::', 16], // the former 6bone
  ['3fff::', 20], // documentation
] as const;

const refusedFour = blockList('ipv4', refusedIPv4);
const refusedSix = blockList('ipv6', refusedIPv6);
const globalSix = blockList('ipv6', [globalIPv6]);

/** Whether connections to an address are allowed. */
export type AddressRule = (address: string) => boolean;

/** `allowedNetworks`: CIDRs that are allowed although they are in the refused networks. */
export function addressRule(allowedNetworks: readonly string[]): AddressRule {
  const allowed = inNetworks(allowedNetworks);
  return (address) => {
    if (isIPv4(address)) return allowed(address) || !refusedFour.check(address, 'ipv4');
    // An address with a zone names an interface of this machine.
    if (!isIPv6(address) || address.includes('%')) return false;
    return (globalSix.check(address, 'ipv6') && !refusedSix.check(address, 'ipv6')) || allowed(address);
  };
}
