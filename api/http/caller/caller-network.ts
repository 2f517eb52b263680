import ipaddr from 'ipaddr.js';

/**
 * Returns the /64 network of an IPv6 address, because providers assign whole /64 networks to customers, or the IPv4
 * address, also when IPv6 maps it (`::ffff:192.0.2.1`).
 */
export function callerOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return 'parts' in parsed ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
