import type { Connection, FieldDef, QueryResult } from 'pg';
import { wireValue } from './wire-value.ts';

type Parser = (text: string) => unknown;

/** The columns that a statement answers. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
  /** Every row is a copy of it, so that all of them have one shape. */
  readonly template: Readonly<Record<string, unknown>>;
}

/** What a connection remembers of the statements that it has prepared. */
export interface Preparations {
  /** By name of the statement: PostgreSQL is asked once a connection, as it never changes what a statement answers. */
  readonly columns: Map<string, Columns>;
  readonly parserOf: (type: number) => Parser;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a statement answered; `error` is null when it did. */
export type Answered = (error: unknown, answer?: Answer) => void;

type Answer = Pick<QueryResult<Record<string, unknown>>, 'command' | 'rowCount' | 'rows'>;

/** The part of pg's connection that its types leave out. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string; values: readonly (string | Buffer | null)[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
}

const noColumns: Columns = { names: [], parsers: [], template: {} };

/**
 * One execution of a prepared statement, in the place of pg's own query: its client calls `submit` and then, as the answer
 * comes in, the methods whose names begin with `handle`.
 */
export class PreparedExecution {
  // Read, and `callback` replaced, by pg's client.
  readonly name: string;
  readonly text: string;
  callback: Answered;
  readonly #values: readonly (string | Buffer | null)[];
  readonly #preparations: Preparations;
  #columns: Columns | undefined;
  #misread: { readonly error: unknown } | undefined;
  readonly #answer: Answer = { command: '', rowCount: null, rows: [] };

  /** Throws where a value cannot be sent. */
  constructor({ name, text, values }: Statement, preparations: Preparations, callback: Answered) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values.map(wireValue);
    this.#preparations = preparations;
    this.#columns = preparations.columns.get(name);
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const wire = connection as unknown as Wire;
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text });
      wire.submittedNamedStatements[name] = text;
    }
    wire.bind({ statement: name, values: this.#values });
    if (this.#columns === undefined) wire.describe({ type: 'P' });
    wire.execute({});
    wire.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const names = fields.map(({ name }) => name);
    const template: Record<string, unknown> = {};
    for (const name of names) template[name] = null;
    const parsers = fields.map(({ dataTypeID }) => this.#preparations.parserOf(dataTypeID));
    this.#columns = { names, parsers, template };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, template } = this.#columns ?? noColumns;
    const row = { ...template };
    try {
      for (let index = 0; index < fields.length; index += 1) {
        const [field, name, parse] = [fields[index], names[index], parsers[index]];
        if (typeof field === 'string' && name !== undefined) row[name] = parse?.(field);
      }
      this.#answer.rows.push(row);
    } catch (error) {
      this.#misread ??= { error };
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#preparations.columns.set(this.name, this.#columns ?? noColumns);
    this.#answer.command = text.slice(0, text.indexOf(' '));
    this.#answer.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1));
  }

  handleReadyForQuery(): void {
    if (this.#misread === undefined) this.callback(null, this.#answer);
    else this.callback(this.#misread.error);
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
