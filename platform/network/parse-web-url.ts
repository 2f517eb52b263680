/** Max characters of a host and of each of its labels in the DNS. */
const maxHostLength = 253;
const maxLabelLength = 63;

/** The authority as `URL.parse` finds it: after any number of slashes in either direction. */
const webAuthority = /^[\s\p{Cc}]*https?:[/\\]*([^/\\?#]*)/iu;

/** `URL.parse` takes each of these for a dot. */
const dots = /[.。．｡]/;

/**
 * Parses an http or https URL like `URL.parse`. Returns null for other texts, and for a URL with a long host in Unicode:
 * its Punycode takes time that is quadratic in the characters of a label.
 */
export function parseWebUrl(text: string): URL | null {
  const host = webHost(text);
  return host === undefined || isTooLong(host) ? null : URL.parse(text);
}

/** Returns whether `parseWebUrl` refuses the text as a URL with a long host in Unicode. */
export const hasLongHost = (text: string): boolean => isTooLong(webHost(text) ?? '');

/** Returns whether a server can have the host and port of a parsed URL: a name that the DNS can contain, and no port 0. */
export function isReachable({ hostname, port }: URL): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const labels = name.split('.');
  return (
    port !== '0' &&
    name.length <= maxHostLength &&
    labels.every((label) => label !== '' && label.length <= maxLabelLength)
  );
}

/** The host of a URL as it is written, up to the first colon. Undefined when the text is not an http or https URL. */
function webHost(text: string): string | undefined {
  // URL.parse removes these wherever they are.
  const [, authority] = webAuthority.exec(text.replaceAll(/[\t\n\r]/g, '')) ?? [];
  return authority?.slice(authority.lastIndexOf('@') + 1).split(':', 1)[0];
}

/** A label in Punycode has at least as many characters as in Unicode, so none of these hosts can be resolved. */
function isTooLong(host: string): boolean {
  // Only Unicode is written in Punycode.
  if (!/[\u0080-\u{10ffff}%]/u.test(host)) return false;
  const decoded = percentDecoded(host);
  // A character may consist of two code units, and a dot may follow the host.
  if (decoded.length > 2 * (maxHostLength + 1)) return true;
  // URL.parse composes letters with their marks, and encodes the composed characters.
  const labels = decoded.normalize('NFC').split(dots);
  return labels.some((label) => Array.from(label).length > maxLabelLength);
}

/** Returns a text that cannot be decoded as it is: it is no host, and longer than what it encodes. */
function percentDecoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
