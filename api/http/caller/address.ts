import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { inNetworks } from '../../../platform/network/networks.ts';

/** Max entries of `X-Forwarded-For` that are read, from the last. */
const maxProxies = 32;
/** Max length of an entry: an IPv6 address with brackets, zone and port. */
const maxEntryLength = 100;

/** Takes the address that connects and the header; a list of several headers arrives joined by commas. */
export type CallerAddress = (
  connected: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
) => string;

/**
 * Returns a function that finds the caller's address, in canonical form. Without trusted proxies it is the connecting
 * address. Each trusted proxy vouches for the entry of `X-Forwarded-For` that it added, so entries are read from the
 * last one to the first untrusted address. An invalid entry ends the list: the proxy that added it counts as the
 * caller.
 */
export function callerAddresses(trustedProxies: readonly string[]): CallerAddress {
  const trusted = inNetworks(trustedProxies);
  return (connected, forwardedFor) => {
    let caller = canonicalAddress(connected ?? '') ?? '';
    if (trustedProxies.length === 0 || forwardedFor === undefined) return caller;
    const entries = String(forwardedFor);
    let end = entries.length;
    for (let count = 0; count < maxProxies && end >= 0 && trusted(caller); count += 1) {
      const comma = end === 0 ? -1 : entries.lastIndexOf(',', end - 1);
      const found = canonicalAddress(entries.slice(comma + 1, end).trim());
      if (found === undefined) return caller;
      caller = found;
      end = comma;
    }
    return caller;
  };
}

/**
 * Returns an IP address in canonical form: without port, brackets and zone, and an IPv4-mapped address as IPv4. Returns
 * undefined for an invalid address.
 */
export function canonicalAddress(entry: string): string | undefined {
  if (isIPv4(entry)) return entry;
  if (entry.length > maxEntryLength) return undefined;
  const host = withoutPort(entry);
  if (isIPv4(host)) return host;
  const [address = ''] = host.split('%', 1);
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined;
}

function withoutPort(entry: string): string {
  if (entry.startsWith('[')) return entry.slice(1, Math.max(entry.indexOf(']'), 1));
  const colon = entry.indexOf(':');
  return colon !== -1 && colon === entry.lastIndexOf(':') ? entry.slice(0, colon) : entry;
}
