import { isIPv4, isIPv6 } from 'node:net';
import { withoutTrailingSlashes } from '../trailing-slashes.ts';
import { isDecodable, items, type Parser } from './parser.ts';

/** An address such as `localhost:7233`. */
export const hostAndPort: Parser<string> = {
  may: 'a host and a port such as localhost:7233',
  parse: (text) => {
    const port = /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/.exec(text)?.[1];
    return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? text : undefined;
  },
};

/** A host to listen on. */
export const host: Parser<string> = {
  may: 'a host name or an IP address such as 127.0.0.1',
  parse: (text) => (/^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined),
};

/** A URL with one of the given schemes; trailing slashes are removed. */
export function url(example: string, ...schemes: readonly string[]): Parser<string> {
  return {
    may: `an address such as ${example}`,
    parse: (text) => {
      const parsed = URL.canParse(text) ? new URL(text) : undefined;
      const known = parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1));
      return known && parsed.hostname !== '' ? withoutTrailingSlashes(text) : undefined;
    },
  };
}

/** A URL that paths are appended to, and that others may see: it has neither query nor fragment nor credentials. */
export const baseUrl: Parser<string> = {
  may: 'an address such as https://steward.example.com, without query, fragment or credentials',
  parse: (text) => {
    const found = url('', 'http', 'https').parse(text);
    const { username = '', password = '' } = found === undefined ? {} : new URL(found);
    return username === '' && password === '' && !text.includes('?') && !text.includes('#')
      ? found
      : undefined;
  },
};

export const databaseUrl: Parser<string> = {
  may: 'a PostgreSQL address such as postgres://user:password@host:5432/database',
  parse: (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    const named = parsed !== undefined && parsed.pathname.length > 1 && isDecodable(parsed.pathname);
    return named && ['postgres:', 'postgresql:'].includes(parsed.protocol) ? text : undefined;
  },
};

function isNetwork(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && Number(bits) <= 128;
}

/** CIDRs; `none` is the empty list, for variables whose default is not empty. */
export const networks: Parser<readonly string[]> = {
  may: 'networks such as 10.0.0.0/8, comma separated, or none',
  parse: (text) => {
    const networks = text.trim() === 'none' ? [] : items(text);
    return networks.every(isNetwork) ? networks : undefined;
  },
};
