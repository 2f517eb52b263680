/**
 * Whether a page of `origin` may call with a key (decisions: allowedDomains). An empty list restricts nothing; the
 * service's own origin is always allowed; `*.` stands for any subdomain, not for the domain itself.
 */
export function originAllowed(
  origin: string,
  allowedDomains: readonly string[],
  ownHost: string | undefined,
): boolean {
  if (allowedDomains.length === 0) return true;
  const url = URL.parse(origin);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  if (ownHost !== undefined && url.host === ownHost.toLowerCase()) return true;
  const candidates = [url.hostname, url.host].map((host) => host.replace(/^www\./, ''));
  return allowedDomains.some((domain) =>
    domain.startsWith('*.')
      ? candidates.some((host) => host.endsWith(domain.slice(1)))
      : candidates.includes(domain),
  );
}
