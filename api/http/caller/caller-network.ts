import ipaddr from 'ipaddr.js';

/**
 * Returns the IPv4 address, also when IPv6 maps it (`::ffff:192.0.2.1`). For IPv6 returns the /64 network, because
 * providers assign whole /64 networks to customers.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return 'parts' in parsed ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
