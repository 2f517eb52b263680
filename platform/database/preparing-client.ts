import { Client, type ClientConfig } from 'pg';

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

/** The part of pg's connection that its types leave out. */
interface Wire {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}

/**
 * A connection that prepares each parametrised statement once, and sends `begin` in one packet with the statement
 * behind it, without waiting for it. Should `begin` fail, the connection is lost and so is the statement.
 */
export class PreparingClient extends Client {
  #heldBack = false;

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
    if (config === 'begin') {
      this.#holdBack();
      super.query('begin').catch(() => undefined);
      return Promise.resolve({ command: 'BEGIN', rowCount: 0, oid: 0, rows: [], fields: [] });
    }
    const sent = super.query(...prepared(config, values, callback));
    this.#release();
    return sent;
  }

  #holdBack(): void {
    this.#heldBack = true;
    this.#wire().cork();
    // A transaction whose first statement is long in coming begins all the same.
    setImmediate(() => this.#release());
  }

  #release(): void {
    if (!this.#heldBack) return;
    this.#heldBack = false;
    this.#wire().uncork();
  }

  #wire(): Wire['connection']['stream'] {
    return (this as unknown as Wire).connection.stream;
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
function prepared(config: any, values: any, callback: any): [any, any, any] {
  if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0)
    return [config, values, callback];
  const name = preparedName(config);
  return name === undefined
    ? [config, values, callback]
    : [{ name, text: config, values }, callback, undefined];
}
