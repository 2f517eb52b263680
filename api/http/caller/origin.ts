/** Browsers leave the port of the protocol out of an origin. */
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a page of `origin` may call with a key (docs/decisions.md#allowed-domains). An empty list restricts nothing; the
 * service's own origin is always allowed; `*.` stands for any subdomain, not for the domain itself. A domain without a
 * port allows every port.
 */
export function originAllowed(
  origin: string,
  allowedDomains: readonly string[],
  ownHost: string | undefined,
): boolean {
  if (allowedDomains.length === 0) return true;
  const url = URL.parse(origin);
  if (url === null || !Object.hasOwn(defaultPorts, url.protocol)) return false;
  if (ownHost !== undefined && url.host === ownHost.toLowerCase()) return true;
  const hosts = [url.hostname, `${url.hostname}:${url.port === '' ? defaultPorts[url.protocol] : url.port}`];
  // The stored domain has lost its `www.` likewise. A subdomain may be called `www` itself.
  const domains = new Set(hosts.map((host) => host.replace(/^www\./, '')));
  return allowedDomains.some((domain) =>
    domain.startsWith('*.') ? hosts.some((host) => host.endsWith(domain.slice(1))) : domains.has(domain),
  );
}
