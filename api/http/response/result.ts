import type { z } from 'zod';
import { check, objectSchema, within } from './envelope.ts';
import type { ReplyOptions, WholeResponse } from './response-kind.ts';

/** Of a `ResultResponse`. */
export interface ResultReply<Result> extends ReplyOptions {
  readonly result: Result;
}

/** `result` is the value and nothing else. */
export interface ResultResponse<Schema extends z.ZodType> extends WholeResponse<
  ResultReply<z.input<Schema>>,
  z.input<Schema>
> {
  readonly schema: Schema;
}

/** Declares a response whose `result` is the value itself, and the headers that go with it, with what they tell. */
export const resultResponse = <Schema extends z.ZodType>(
  schema: Schema,
  headers: Readonly<Record<string, string>> = {},
): ResultResponse<Schema> => ({
  kind: 'result',
  httpStatus: 200,
  schema,
  headers,
  write({ result }, path) {
    check(path, schema, result);
    return JSON.stringify({ result });
  },
  bodySchema: (name) => within(name, schema, (result) => objectSchema({ result })),
});
