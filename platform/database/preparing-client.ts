import { Client, type ClientConfig } from 'pg';
import { PreparedExecution, type Answered, type Preparations, type Statement } from './prepared-execution.ts';

/** Distinct statements a connection keeps prepared. Every statement of the product is a constant text, so this is never reached by them. */
const maximumPrepared = 400;

const names = new Map<string, string>();

function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= maximumPrepared) return undefined;
  const name = `s${String(names.size)}`;
  names.set(text, name);
  return name;
}

/** Longest wait for the database to accept a connection, in milliseconds: beyond it, it counts as away. */
const connectTimeout = 1_500;

/** A connection that prepares each parametrised statement once, and sends what it is given at one time in one packet. */
export class PreparingClient extends Client {
  #gathering = false;
  readonly #preparations: Preparations = {
    columns: new Map(),
    parserOf: (type) => this.getTypeParser(type, 'text') as (text: string) => unknown,
  };

  constructor(config?: ClientConfig) {
    // The pool's own limit is for waiting in its queue; a server that does not answer is told sooner.
    // The pool hides the password from enumeration, so spreading alone would lose it.
    const password = config?.password;
    super({
      ...config,
      ...(password !== undefined && { password }),
      pipeline: true,
      connectionTimeoutMillis: connectTimeout,
    });
  }

  // The overloads of pg cannot be implemented one by one: what arrives is passed on as it came.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(config: any, values?: any, callback?: any): any {
    this.#gather();
    if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0)
      return super.query(config, values, callback);
    const name = preparedName(config);
    if (name === undefined) return super.query(config, values, callback);
    return this.#execute({ name, text: config, values }, callback as Answered | undefined);
  }

  #execute(statement: Statement, callback: Answered | undefined): Promise<unknown> | undefined {
    if (callback !== undefined) {
      super.query(new PreparedExecution(statement, this.#preparations, callback));
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const answered: Answered = (error, answer) => {
        if (error === null) return resolve(answer);
        // Its own stack leads to the socket; this one, to the statement's caller.
        if (typeof error === 'object' && error !== null) Error.captureStackTrace(error);
        reject(error);
      };
      super.query(new PreparedExecution(statement, this.#preparations, answered));
    });
  }

  /** What is sent until the present callback has ended leaves together. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }
}
