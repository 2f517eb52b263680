import { envelope, envelopeSchema, type Enveloped, type Extras } from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** The reply of a handler with `messageResponse`. */
export interface MessageReply {
  readonly message: string;
  readonly extras?: Extras;
}

/** A response with a message and without `data`. */
export const messageResponse: WholeResponse<MessageReply, Enveloped, Enveloped<Extras>> = {
  kind: 'message',
  httpStatus: 200,
  write: ({ message, extras }) => envelope(message, undefined, extras),
  bodySchema: () => ({ schema: envelopeSchema({}), named: {} }),
};
