import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { withoutTrailingSlashes } from './trailing-slashes.ts';

/** Parses the text of a variable; returns `undefined` for a text that does not match `may`. */
export interface Parser<T> {
  /** Completes the sentence "it may be …". */
  readonly may: string;
  readonly parse: (text: string) => T | undefined;
}

/** A key for encryption at rest; its id is stored with each ciphertext. */
export interface EncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

export const anyText: Parser<string> = { may: 'any text', parse: (text) => text };

/** Whole numbers; both bounds are included. */
export function wholeNumber(from: number, to: number): Parser<number> {
  return {
    may: `a whole number from ${from} to ${to}`,
    parse: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return number >= from && number <= to ? number : undefined;
    },
  };
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parser<T> {
  return { may: choices.join(', '), parse: (text) => choices.find((choice) => choice === text) };
}

/** One or more of the given names, comma separated. */
export function someOf<const T extends string>(...choices: readonly T[]): Parser<ReadonlySet<T>> {
  return {
    may: `one or more of ${choices.join(', ')}, comma separated`,
    parse: (text) => {
      const chosen = new Set(list(text));
      const known = choices.filter((choice) => chosen.has(choice));
      return known.length === chosen.size && known.length > 0 ? new Set(known) : undefined;
    },
  };
}

/** An address such as `localhost:7233`. */
export const hostAndPort: Parser<string> = {
  may: 'a host and a port such as localhost:7233',
  parse: (text) => {
    const port = /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/.exec(text)?.[1];
    return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? text : undefined;
  },
};

/** A host to listen at. */
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

export const databaseUrl: Parser<string> = {
  may: 'a PostgreSQL address such as postgres://user:password@host:5432/database',
  parse: (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    const named = parsed !== undefined && parsed.pathname.length > 1;
    return named && ['postgres:', 'postgresql:'].includes(parsed.protocol) ? text : undefined;
  },
};

/** A header value: visible ASCII without spaces. */
export const token: Parser<string> = {
  may: 'letters, digits and punctuation without spaces',
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
};

/** `smtp:` or `smtps:` with a host; `file:` with the folder that gets each mail as a file. */
export const mailServer: Parser<string> = {
  may: 'an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
  parse: (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed?.protocol === 'file:') return parsed.host === '' ? text : undefined;
    const known = parsed !== undefined && ['smtp:', 'smtps:'].includes(parsed.protocol);
    return known && parsed.hostname !== '' && ['', '/'].includes(parsed.pathname) ? text : undefined;
  },
};

/** Whether each label of a name in ASCII form has 1 to 63 letters, digits and hyphens, with no hyphen at its ends. */
const isDomain = (name: string): boolean =>
  name.length <= 253 &&
  name.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));

/** An e-mail address in ASCII: a local part of words between single dots, and a domain of labels. */
export const mailAddress: Parser<string> = {
  may: 'an e-mail address such as notifications@example.com',
  parse: (text) => {
    const [, local = '', domain = ''] = /^([\w.!#$%&'*+/=?^`{|}~-]{1,64})@([^@]{1,253})$/.exec(text) ?? [];
    return isDomain(domain.toLowerCase()) && local.split('.').every((word) => word !== '') ? text : undefined;
  },
};

/** A domain that keys may send from: all of them, or those of one workspace. */
export interface MailDomain {
  /** Lower case, ASCII. */
  readonly domain: string;
  readonly workspaceId: string | undefined;
}

/** `domain` or `domain=workspaceId`, comma separated. */
export const mailDomains: Parser<readonly MailDomain[]> = {
  may: 'domains such as example.com, or example.com=<workspace id>, comma separated, with labels of 1 to 63 letters, digits and hyphens between single dots',
  parse: (text) => {
    const domains = list(text).map((item): MailDomain | undefined => {
      const [, name = '', workspaceId] = /^([^=\s]{1,253})(?:=([\w-]{1,100}))?$/.exec(item) ?? [];
      const domain = domainToASCII(name);
      return isDomain(domain) ? { domain, workspaceId } : undefined;
    });
    const good = domains.filter((domain) => domain !== undefined);
    return good.length === domains.length && good.length > 0 ? good : undefined;
  },
};

const encryptionKeyBytes = 32;

export const buildId: Parser<string> = {
  may: 'up to 100 letters, digits and the characters . _ + -',
  parse: (text) => (/^[\w.+-]{1,100}$/.test(text) ? text : undefined),
};

function encryptionKey(text: string): EncryptionKey | undefined {
  const [, id, encoded] = /^([\w.-]{1,64}):([A-Za-z0-9+/_-]+={0,2})$/.exec(text) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === encryptionKeyBytes ? { id, key } : undefined;
}

/** `id:base64(32 bytes)`, comma separated, ids unique. The first key encrypts; all keys decrypt. */
export const encryptionKeys: Parser<readonly EncryptionKey[]> = {
  may: 'id:base64 of 32 bytes, comma separated, each id once',
  parse: (text) => {
    const keys = list(text).map(encryptionKey);
    const good = keys.filter((key) => key !== undefined);
    const once = new Set(good.map(({ id }) => id)).size === keys.length;
    return once && keys.length > 0 ? good : undefined;
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
    const networks = text.trim() === 'none' ? [] : list(text);
    return networks.every(isNetwork) ? networks : undefined;
  },
};

const unitMs = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Durations such as `0s,5s,2h`, in milliseconds. */
export const durations: Parser<readonly number[]> = {
  may: 'durations such as 0s,5s,30m,2h, comma separated',
  parse: (text) => {
    const parsed = list(text).map((duration) => {
      const [, count = '', unit = ''] = /^(\d{1,6})([a-z]+)$/.exec(duration) ?? [];
      const milliseconds = unitMs.get(unit);
      return milliseconds === undefined ? undefined : Number(count) * milliseconds;
    });
    const good = parsed.filter((duration) => duration !== undefined);
    return good.length === parsed.length && good.length > 0 ? good : undefined;
  },
};

/** One duration such as `5s`, in milliseconds; both bounds are included. */
export function duration(from: string, to: string): Parser<number> {
  const [min = NaN, max = NaN] = durations.parse(`${from},${to}`) ?? [];
  return {
    may: `a duration from ${from} to ${to}, such as 500ms or 5s`,
    parse: (text) => {
      const [parsed = NaN, ...others] = durations.parse(text) ?? [];
      return others.length === 0 && parsed >= min && parsed <= max ? parsed : undefined;
    },
  };
}

/** Models with a common name prefix, and the provider that serves them. */
export interface ModelFamily {
  /** `gpt-` matches every model with that prefix; `o1` matches `o1` and every model with the prefix `o1-`. */
  readonly name: string;
  readonly provider: 'openai' | 'anthropic' | 'gemini';
  /** The models take the prompt and the text in one user message. */
  readonly oneMessage: boolean;
}

/** `name=provider` or `name=provider/one-message`, comma separated, names unique. */
export const modelFamilies: Parser<readonly ModelFamily[]> = {
  may: 'families such as gpt-=openai,o1=openai/one-message,claude-=anthropic, each name once',
  parse: (text) => {
    const families = list(text).map(modelFamily);
    const good = families.filter((family) => family !== undefined);
    return new Set(good.map(({ name }) => name)).size === families.length && good.length > 0
      ? good
      : undefined;
  },
};

function modelFamily(text: string): ModelFamily | undefined {
  const [, name, provider, form] =
    /^([A-Za-z0-9._:-]{1,100})=(openai|anthropic|gemini)(\/one-message)?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, provider: provider as ModelFamily['provider'], oneMessage: form !== undefined };
}

const byteUnits = new Map([
  ['', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
]);

/** A number of bytes, such as `64MiB` or `67108864`; both bounds are included. */
export function byteSize(from: string, to: string): Parser<number> {
  const bytesOf = (text: string): number => {
    const [, count = '', unit = ''] = /^(\d{1,12})(KiB|MiB|GiB)?$/.exec(text) ?? [];
    return count === '' ? NaN : Number(count) * (byteUnits.get(unit) ?? NaN);
  };
  return {
    may: `a size from ${from} to ${to}, in bytes or with KiB, MiB or GiB`,
    parse: (text) => {
      const bytes = bytesOf(text);
      return bytes >= bytesOf(from) && bytes <= bytesOf(to) ? bytes : undefined;
    },
  };
}

export const onOrOff: Parser<boolean> = {
  may: 'on, off',
  parse: (text) => ({ on: true, true: true, off: false, false: false })[text],
};

/** The content of a file, read at startup. */
export const fileContent: Parser<Buffer> = {
  may: 'the path of a readable file',
  parse: (path) => {
    try {
      return readFileSync(path);
    } catch {
      return undefined;
    }
  },
};

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
