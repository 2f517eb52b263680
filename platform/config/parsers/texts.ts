import { readFileSync } from 'node:fs';
import { items, type Parser } from './parser.ts';

export const anyText: Parser<string> = { may: 'any text', parse: (text) => text };

export function oneOf<const T extends string>(...choices: readonly T[]): Parser<T> {
  return { may: choices.join(', '), parse: (text) => choices.find((choice) => choice === text) };
}

/** One or more of the given names, comma separated. */
export function someOf<const T extends string>(...choices: readonly T[]): Parser<ReadonlySet<T>> {
  return {
    may: `one or more of ${choices.join(', ')}, comma separated`,
    parse: (text) => {
      const chosen = new Set(items(text));
      const known = choices.filter((choice) => chosen.has(choice));
      return known.length === chosen.size && known.length > 0 ? new Set(known) : undefined;
    },
  };
}

/** A header value: visible ASCII without spaces. */
export const token: Parser<string> = {
  may: 'letters, digits and punctuation without spaces',
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
};

export const buildId: Parser<string> = {
  may: 'up to 100 letters, digits and the characters . _ + -',
  parse: (text) => (/^[\w.+-]{1,100}$/.test(text) ? text : undefined),
};

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
