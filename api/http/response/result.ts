import type { z } from 'zod';
import { check, resultSchema } from './envelope.ts';
import type { ReplyOptions, WholeResponse } from './response-kind.ts';

/** The reply of a handler with a `ResultResponse`. */
export interface ResultReply<Result> extends ReplyOptions {
  readonly result: Result;
}

/** A response whose `result` is the value itself, without the envelope's members. */
export interface ResultResponse<Schema extends z.ZodType> extends WholeResponse<
  ResultReply<z.input<Schema>>,
  z.input<Schema>
> {
  readonly schema: Schema;
}

/** Declares a response whose `result` is the value itself. `headers` maps response headers to their descriptions. */
export const resultResponse = <Schema extends z.ZodType>(
  schema: Schema,
  headers: Readonly<Record<string, string>> = {},
): ResultResponse<Schema> => ({
  kind: 'result',
  httpStatus: 200,
  client: 'call',
  schema,
  headers,
  write({ result }, path) {
    check(path, schema, result);
    return JSON.stringify({ result });
  },
  bodySchema: (name, components) => components.add(name, resultSchema(components.of(schema, 'response'))),
});
