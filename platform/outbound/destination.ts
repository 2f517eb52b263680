import { OutboundError } from './outbound-error.ts';

const longestHost = 253;
const longestLabel = 63;

/**
 * The URL that somebody else chose, as it will be called; numbers in odd spellings are plain addresses in it. Throws
 * `OutboundError` for what is not http(s), names a user, or names no host that can be.
 */
export function destinationOf(text: string, httpsOnly: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !plain(url) || !possible(url)) throw new OutboundError('url-refused');
  if (httpsOnly && url.protocol !== 'https:') throw new OutboundError('https-required');
  return url;
}

const plain = ({ protocol, username, password, hash }: URL): boolean =>
  ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';

function possible({ hostname, port }: URL): boolean {
  // The dot at the end of a whole name is no label of its own.
  const name = hostname.replace(/\.$/, '');
  const labels = name.startsWith('[') ? [] : name.split('.');
  return (
    port !== '0' &&
    name.length <= longestHost &&
    labels.every((label) => label !== '' && label.length <= longestLabel)
  );
}
