import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What no customer's address may lead to: this machine, its neighbours, and what stands for either of them. */
const refusedIPv4 = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers; a cloud's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's host
  ['169.254.0.0', 16], // link-local; clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; a cloud's metadata
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112, which answers for private names
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
 * Only global unicast is passed at all, so loopback, unique local, link-local, multicast, mapped and NAT64 addresses are
 * refused without being named. These are the exceptions within it.
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

const list = (family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList => {
  const made = new BlockList();
  for (const [network, bits] of subnets) made.addSubnet(network, bits, family);
  return made;
};

const refusedFour = list('ipv4', refusedIPv4);
const refusedSix = list('ipv6', refusedIPv6);
const globalSix = list('ipv6', [globalIPv6]);

/** Says of an address whether it may be connected to. */
export type AddressRule = (address: string) => boolean;

/** `allowedNetworks`: CIDRs that may be reached although they are among the refused ones. */
export function addressRule(allowedNetworks: readonly string[]): AddressRule {
  const subnets = allowedNetworks.map((network): [string, number] => {
    const [address = '', bits = ''] = network.split('/');
    return [address, Number(bits)];
  });
  // Apart by family: a list that holds both takes a mapped address for the one that it maps.
  const allowedFour = list(
    'ipv4',
    subnets.filter(([address]) => isIPv4(address)),
  );
  const allowedSix = list(
    'ipv6',
    subnets.filter(([address]) => isIPv6(address)),
  );
  return (address) => {
    if (isIPv4(address)) return allowedFour.check(address, 'ipv4') || !refusedFour.check(address, 'ipv4');
    // With a zone it names an interface of this machine, whatever its number says.
    if (!isIPv6(address) || address.includes('%')) return false;
    const open = globalSix.check(address, 'ipv6') && !refusedSix.check(address, 'ipv6');
    return open || allowedSix.check(address, 'ipv6');
  };
}
