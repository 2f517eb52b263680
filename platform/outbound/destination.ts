import { OutboundError } from './outbound-error.ts';

const maxHostLength = 253;
const maxLabelLength = 63;

/**
 * Normalizes a customer's URL: addresses in unusual spellings become plain ones, and a host loses its trailing dot. Throws
 * `OutboundError` for a URL that is not http(s), contains a user, or has an invalid host.
 */
export function destinationOf(text: string, httpsOnly: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !plain(url)) throw new OutboundError('url-refused');
  url.hostname = url.hostname.replace(/\.$/, '');
  if (!possible(url)) throw new OutboundError('url-refused');
  if (httpsOnly && url.protocol !== 'https:') throw new OutboundError('https-required');
  return url;
}

const plain = ({ protocol, username, password, hash }: URL): boolean =>
  ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';

function possible({ hostname, port }: URL): boolean {
  const labels = hostname.startsWith('[') ? [] : hostname.split('.');
  return (
    port !== '0' &&
    hostname.length <= maxHostLength &&
    labels.every((label) => label !== '' && label.length <= maxLabelLength)
  );
}
