import type { z } from 'zod';
import {
  check,
  dataSchema,
  envelope,
  envelopeSchema,
  extraMembers,
  within,
  type Enveloped,
  type Extras,
} from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** The reply of a handler with a `DataResponse`. */
export interface DataReply<Data> {
  readonly message: string;
  readonly data: Data;
  readonly extras?: Extras;
}

type DataResult<Data> = Enveloped<{ readonly data: Data }>;

/** A response whose `data` is one value. */
export interface DataResponse<Schema extends z.ZodType> extends WholeResponse<
  DataReply<z.input<Schema>>,
  DataResult<z.input<Schema>>,
  DataResult<z.input<Schema>> & Extras
> {
  readonly schema: Schema;
}

/** Declares a response whose `data` is one value. */
export const dataResponse = <Schema extends z.ZodType>(schema: Schema): DataResponse<Schema> => ({
  kind: 'data',
  httpStatus: 200,
  schema,
  write({ message, data, extras }, path) {
    check(path, schema, data);
    return envelope(message, data, extras);
  },
  bodySchema: (name, mutates) =>
    within(name, schema, (data) => envelopeSchema({ data: dataSchema(data) }, extraMembers(mutates))),
});

/** Creates a `DataReply`. */
export const succeeded = <Data>(message: string, data: Data, extras?: Extras): DataReply<Data> => ({
  message,
  data,
  ...(extras && { extras }),
});
