import type { Connection } from './connection.ts';
import { byCursor, byIterator, byPageToken, LazyListCall, type ListForm } from './list-call.ts';
import type { WriteOptions } from './options.ts';
import { streamOf } from './response.ts';

/** Calls an operation over a connection. The generated tables consist of these; only their types know data and results. */
export type Operation = (connection: Connection, data?: object, options?: WriteOptions) => unknown;

/** Operations by resource and verb. */
export interface OperationTree {
  readonly [name: string]: Operation | OperationTree;
}

const pathOf = (path: string): string => `/v2/${path}`;

export const read =
  (path: string): Operation =>
  (connection, data, options) =>
    connection.call(pathOf(path), false, data, options);

export const write =
  (path: string): Operation =>
  (connection, data, options) =>
    connection.call(pathOf(path), true, data, options);

export const exported =
  (path: string): Operation =>
  (connection, data = {}, options = {}) =>
    connection.send({ path: pathOf(path), data, options, read: streamOf, streams: true });

const listed =
  (form: ListForm) =>
  (path: string): Operation =>
  (connection, data = {}, options) =>
    new LazyListCall(form, (token) =>
      connection.call(
        pathOf(path),
        false,
        token === undefined ? data : following(data, form, token),
        options,
      ),
    );

/** The data of the request for the page at a token, which replaces the token of the caller. */
const following = (data: object, { token, aliases = [] }: ListForm, value: string): object => ({
  ...Object.fromEntries(Object.entries(data).filter(([name]) => !aliases.includes(name))),
  [token]: value,
});

export const list = listed(byPageToken);
export const cursorList = listed(byCursor);
export const iteratorList = listed(byIterator);

/** Returns an object with the methods of a tree. */
export function methodsOf(tree: OperationTree, connection: Connection): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).map(([name, found]) => [
      name,
      typeof found === 'function'
        ? (data?: object, options?: WriteOptions) => found(connection, data, options)
        : methodsOf(found, connection),
    ]),
  );
}
