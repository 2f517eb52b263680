import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Whether an address is in one of the networks. */
export type InNetworks = (address: string) => boolean;

/** `networks`: CIDRs. Invalid addresses, and addresses with a zone, are in no network. */
export function inNetworks(networks: readonly string[]): InNetworks {
  const subnets = networks.map((network): [string, number] => {
    const [address = '', bits = ''] = network.split('/');
    return [address, Number(bits)];
  });
  // One list per family: a mixed BlockList matches an IPv4-mapped IPv6 address as IPv4.
  const four = blockList(
    'ipv4',
    subnets.filter(([address]) => isIPv4(address)),
  );
  const six = blockList(
    'ipv6',
    subnets.filter(([address]) => isIPv6(address)),
  );
  return (address) => {
    if (isIPv4(address)) return four.check(address, 'ipv4');
    return isIPv6(address) && !address.includes('%') && six.check(address, 'ipv6');
  };
}

/** A list of the networks of one family, given by address and prefix length. */
export function blockList(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, bits] of subnets) list.addSubnet(network, bits, family);
  return list;
}
