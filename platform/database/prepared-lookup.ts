import { CompiledQuery, type RawBuilder } from 'kysely';
import type { EntityManager } from './orm.ts';
import { publishRows, type RowDeclaration } from './received-rows.ts';
import { kyselyOf, lookup } from './statements.ts';

/**
 * A lookup that every request makes, compiled once. `lookupOf` compiles it, and hashes a text of a kilobyte, for each
 * request. Without it, documents/add of 1 falls by 6 % and organizations/get of 30 by 4 % (docs/benchmarks.md).
 */
export class PreparedLookup<Parameters extends readonly unknown[], Row extends object> {
  readonly #row: RowDeclaration<Row>;
  readonly #statement: (...parameters: Parameters) => RawBuilder<unknown>;
  #text: string | undefined;

  /** The statement must use each parameter once and in order, and its text must not depend on them. */
  constructor(row: RowDeclaration<Row>, statement: (...parameters: Parameters) => RawBuilder<unknown>) {
    this.#row = row;
    this.#statement = statement;
  }

  /** The rows for these parameters; see `lookup`. */
  async rows(em: EntityManager, ...parameters: Parameters): Promise<Row[]> {
    const text = (this.#text ??= this.#compile(em, parameters));
    const rows = await lookup<Row>(em, { compile: () => CompiledQuery.raw(text, [...parameters]) });
    publishRows(this.#row, rows);
    return rows;
  }

  #compile(em: EntityManager, parameters: Parameters): string {
    const compiled = this.#statement(...parameters).compile(kyselyOf(em));
    if (
      compiled.parameters.length !== parameters.length ||
      compiled.parameters.some((one, at) => one !== parameters[at])
    )
      throw new Error('the statement does not use its parameters in order');
    return compiled.sql;
  }
}
