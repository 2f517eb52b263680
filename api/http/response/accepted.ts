import type { z } from 'zod';
import type { DataReply } from './data.ts';
import { check, dataSchema, objectSchema, successMembers, type Enveloped } from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** Response to work that continues after it: status 202, and `{status, message, data, statusCode}` without `result`. */
type AcceptedResponse<Schema extends z.ZodType> = WholeResponse<
  DataReply<z.input<Schema>>,
  Enveloped<{ readonly data: z.input<Schema>; readonly statusCode: 202 }>
>;

/** Declares a response of status 202. */
export const acceptedResponse = <Schema extends z.ZodType>(schema: Schema): AcceptedResponse<Schema> => ({
  kind: 'accepted',
  httpStatus: 202,
  statusDescription: 'The request was accepted.',
  client: 'call',
  write({ message, data }, path) {
    check(path, schema, data);
    return JSON.stringify({ status: 'success', message, data, statusCode: 202 });
  },
  bodySchema: (name, components) =>
    components.add(
      name,
      objectSchema({
        ...successMembers,
        data: dataSchema(components.of(schema, 'response')),
        statusCode: { const: 202, description: 'Always 202: the work continues after the response.' },
      }),
    ),
});
