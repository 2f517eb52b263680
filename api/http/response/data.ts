import { z } from 'zod';
import { resourceName } from '../../openapi/components.ts';
import {
  check,
  dataSchema,
  envelope,
  envelopeSchema,
  extraMembers,
  sharedName,
  type Enveloped,
  type ExtraName,
  type Extras,
  type RepliedExtras,
} from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** The reply of a handler with a `DataResponse`. */
export interface DataReply<Data, Extra extends ExtraName = never> {
  readonly message: string;
  readonly data: Data;
  readonly extras?: RepliedExtras<Extra>;
}

type DataResult<Data, Extra extends ExtraName> = Enveloped<{ readonly data: Data } & Extras<Extra>>;

/** A response whose `data` is one value. */
export interface DataResponse<
  Schema extends z.ZodType,
  Extra extends ExtraName = never,
> extends WholeResponse<DataReply<z.input<Schema>, Extra>, DataResult<z.input<Schema>, Extra>> {
  readonly schema: Schema;
}

/** Declares a response whose `data` is one value. `extras` are the optional members beside it. */
export const dataResponse = <Schema extends z.ZodType, const Extra extends ExtraName = never>(
  schema: Schema,
  extras: readonly Extra[] = [],
): DataResponse<Schema, Extra> => ({
  kind: 'data',
  httpStatus: 200,
  client: 'call',
  itemsAt: schema instanceof z.ZodArray ? ['properties', 'data'] : undefined,
  schema,
  write({ message, data, extras: beside }, path) {
    check(path, schema, data);
    return envelope(message, data, beside);
  },
  bodySchema(name, components) {
    const resource = resourceName(schema);
    return components.add(
      resource === undefined ? name : sharedName(`${resource}Result`, extras),
      envelopeSchema({ data: dataSchema(components.of(schema, 'response')) }, extraMembers(extras)),
    );
  },
});

/** Creates a `DataReply`. */
export const succeeded = <Data, Extra extends ExtraName = never>(
  message: string,
  data: Data,
  extras?: RepliedExtras<Extra>,
): DataReply<Data, Extra> => ({ message, data, ...(extras && { extras }) });
