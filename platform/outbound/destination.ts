import { OutboundError } from './outbound-error.ts';

const longestHost = 253;
const longestLabel = 63;

/**
 * The URL that somebody else chose, as it will be called: numbers in odd spellings are plain addresses in it, and a whole
 * name has no dot at its end. Throws `OutboundError` for what is not http(s), names a user, or names no host that can be.
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
    hostname.length <= longestHost &&
    labels.every((label) => label !== '' && label.length <= longestLabel)
  );
}
