/** Max domains of an API key. */
export const maxDomains = 100;

/** Hosts that `addLocalHostToAllowedDomains` adds. */
export const localHosts = ['localhost', '127.0.0.1'] as const;

/** Normalizes `https://www.Example.com/path` to `example.com`; keeps a leading `*.` and a port. Undefined without a host. */
export function normalizeDomain(sent: string): string | undefined {
  const withoutScheme = sent
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  const host = withoutScheme.replace(/[/?#].*$/s, '').replace(/^www\./, '');
  const wildcard = host.startsWith('*.');
  const url = URL.parse(`http://${wildcard ? host.slice(2) : host}`);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  if (url.hostname.includes('*')) return undefined;
  return `${wildcard ? '*.' : ''}${url.host}`;
}
