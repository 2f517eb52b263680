import { createHash } from 'node:crypto';

/** Max names per pool: each connection keeps every name until it closes. */
const maxNames = 500;

/** A prepared statement, named by its text: the same in all processes. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** The named statements of a pool, by the text that its users send. */
export class StatementNames {
  readonly #statements = new Map<string, NamedStatement>();

  /** Names a new text. Returns undefined for texts beyond `maxNames`. */
  of(text: string): NamedStatement | undefined {
    const known = this.#statements.get(text);
    if (known !== undefined || this.#statements.size >= maxNames) return known;
    return this.#add(text, text);
  }

  /**
   * Sends a text with one more space after a migration changed its result columns. PgBouncer shares prepared statements
   * of equal texts and keeps them for an hour, so neither a new name nor a new connection replaces one.
   */
  replaceOutdated(text: string, outdated: NamedStatement): void {
    if (this.#statements.get(text) === outdated) this.#add(text, `${outdated.text} `);
  }

  #add(text: string, sent: string): NamedStatement {
    const name = createHash('sha256').update(sent).digest('base64url').slice(0, 22);
    const statement = { name, text: sent };
    this.#statements.set(text, statement);
    return statement;
  }
}
