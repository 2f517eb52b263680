import { isReachable, parseWebUrl } from '../network/parse-web-url.ts';
import { OutboundError } from './outbound-error.ts';

/**
 * Normalizes a customer's URL: addresses in unusual spellings become plain ones, and a host loses its trailing dot. Throws
 * `OutboundError` for a URL that is not http(s), contains a user, or has an invalid host.
 */
export function destinationOf(text: string, httpsOnly: boolean): URL {
  const url = parseWebUrl(text);
  if (url === null || !plain(url) || !isReachable(url)) throw new OutboundError('url-refused');
  url.hostname = url.hostname.replace(/\.$/, '');
  if (httpsOnly && url.protocol !== 'https:') throw new OutboundError('https-required');
  return url;
}

const plain = ({ username, password, hash }: URL): boolean =>
  username === '' && password === '' && hash === '';
