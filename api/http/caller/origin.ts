import { parseWebUrl } from '../../../platform/network/parse-web-url.ts';

/** Browsers omit the protocol's default port from an origin. */
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns whether a key accepts calls from `origin` (docs/decisions.md#allowed-domains). An empty list allows every
 * origin, and the service's own origin is always allowed. `*.` matches subdomains, not the domain itself. A domain
 * without a port matches every port.
 */
export function originAllowed(
  origin: string,
  allowedDomains: readonly string[],
  ownHost: string | undefined,
): boolean {
  if (allowedDomains.length === 0) return true;
  const url = parseWebUrl(origin);
  const isOwn = url !== null && url.host === ownHost?.toLowerCase();
  return isOwn || isNamed(url, allowedDomains);
}

/** Returns whether the allowed domains name the origin. An empty list names none, though it allows every origin. */
export const originNamed = (origin: string, allowedDomains: readonly string[]): boolean =>
  allowedDomains.length > 0 && isNamed(parseWebUrl(origin), allowedDomains);

function isNamed(url: URL | null, allowedDomains: readonly string[]): boolean {
  if (url === null) return false;
  const hosts = [url.hostname, `${url.hostname}:${url.port === '' ? defaultPorts[url.protocol] : url.port}`];
  // Stored domains have no leading `www.` either. A wildcard still matches a subdomain named `www`.
  const domains = new Set(hosts.map((host) => host.replace(/^www\./, '')));
  return allowedDomains.some((domain) =>
    domain.startsWith('*.') ? hosts.some((host) => host.endsWith(domain.slice(1))) : domains.has(domain),
  );
}
