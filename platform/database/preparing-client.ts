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

/**
 * A connection that prepares each parametrised statement once, and does not wait for `begin` before the
 * statement behind it is sent: the two share a round trip. Should `begin` fail, the connection is lost and
 * so is the statement.
 */
export class PreparingClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, pipeline: true });
  }

  // The overloads of pg cannot be implemented one by one: what arrives is passed on as it came.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(config: any, values?: any, callback?: any): any {
    if (config === 'begin') {
      super.query('begin').catch(() => undefined);
      return Promise.resolve({ command: 'BEGIN', rowCount: 0, oid: 0, rows: [], fields: [] });
    }
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0) {
      const name = preparedName(config);
      if (name !== undefined) {
        const prepared = { name, text: config, values };
        return callback === undefined ? super.query(prepared) : super.query(prepared, callback);
      }
    }
    return super.query(config, values, callback);
  }
}
