import { envelope, envelopeSchema, type Enveloped } from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** The reply of a handler with `messageResponse`. */
export interface MessageReply {
  readonly message: string;
}

/** A response with a message and without `data`. */
export const messageResponse: WholeResponse<MessageReply, Enveloped> = {
  kind: 'message',
  httpStatus: 200,
  client: 'call',
  write: ({ message }) => envelope(message, undefined),
  bodySchema: (_name, components) => components.add('MessageResult', envelopeSchema({})),
};
