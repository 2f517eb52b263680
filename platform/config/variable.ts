import type { Parser } from './parsers/parser.ts';

/** One environment variable. */
export interface Variable<T> extends Parser<T> {
  /** The text that replaces an unset variable in every program. */
  readonly fallback?: string;
  /** The default as documented, where it differs from `fallback`. */
  readonly default?: string;
  readonly meaning: string;
  /** Printing masks a `whole` secret completely, and only the password of an `address`. */
  readonly secret?: 'whole' | 'address';
}
