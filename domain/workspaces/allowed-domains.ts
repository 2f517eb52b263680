import { parseWebUrl } from '../../platform/network/parse-web-url.ts';

/** Max domains of an API key. */
export const maxDomains = 100;

/** Hosts that `addLocalHostToAllowedDomains` adds. */
export const localHosts = ['localhost', '127.0.0.1'] as const;

/** A domain as sent by a caller, in normal form. */
export interface SentDomain {
  /** `https://www.Example.com/path` is `example.com`; a leading `*.` and a port are kept. */
  readonly normal: string;
  /** Whether browsers write hosts like this: a name by the rules of DNS, or a complete IP address. */
  readonly nameable: boolean;
}

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const addressV4 = /^[0-9.]+$/;
/** Characters that the URL parser removes or decodes. */
const unnameable = /[\s%\\]/;
const maxNameLength = 253;

/** Returns undefined when there is no host. */
export function readDomain(sent: string): SentDomain | undefined {
  const withoutScheme = sent
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  const host = withoutScheme.replace(/[/?#].*$/s, '').replace(/^www\./, '');
  const wildcard = host.startsWith('*.');
  const name = wildcard ? host.slice(2) : host;
  const url = parseWebUrl(`http://${name}`);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  if (url.hostname.includes('*')) return undefined;
  // A URL has no port where it is the scheme's own: without it, the domain would allow every port.
  const port = url.port === '' && Number(name.slice(name.lastIndexOf(':') + 1)) === 80 ? ':80' : '';
  const normal = `${wildcard ? '*.' : ''}${url.host}${port}`;
  return { normal, nameable: isNameable(url.hostname, name, wildcard) };
}

/** Returns the domain in normal form, or undefined when the text is not a domain. */
export function normalizeDomain(sent: string): string | undefined {
  const domain = readDomain(sent);
  return domain?.nameable === true ? domain.normal : undefined;
}

function isNameable(hostname: string, sent: string, wildcard: boolean): boolean {
  if (hostname.startsWith('[')) return !wildcard;
  if (addressV4.test(hostname)) return !wildcard && sent.startsWith(hostname);
  const labels = hostname.split('.');
  return !unnameable.test(sent) && hostname.length <= maxNameLength && labels.every((one) => label.test(one));
}
