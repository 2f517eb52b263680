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

/** Max records of a page. */
const maxPageSize = 1_000;

const listed =
  (form: ListForm, iterated = (awaited: object) => awaited) =>
  (path: string): Operation =>
  (connection, awaited = {}, options) =>
    new LazyListCall(form, (data) => connection.call(pathOf(path), false, data, options), {
      awaited,
      iterated: iterated(awaited),
    });

export const list = listed(byPageToken);
export const cursorList = listed(byCursor);
export const iteratorList = listed(byIterator);

/**
 * A list that a request without `pageSize` returns whole. An iteration reads it in pages, because the whole list may exceed
 * the memory of the program. `alone`: members that exclude `pageSize`.
 */
export const wholeList = (path: string, ...alone: readonly string[]): Operation =>
  listed(byPageToken, (awaited) => {
    const sent = awaited as Readonly<Record<string, unknown>>;
    const keeps = ['pageSize', ...alone].some((name) => sent[name] !== undefined);
    return keeps ? awaited : { ...awaited, pageSize: maxPageSize };
  })(path);

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
