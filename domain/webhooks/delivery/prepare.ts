import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { processedBody } from '../basic/processed-body.ts';
import type { PostedMessage } from '../provider.ts';
import { finalBody, plainBody, type Message } from './payload.ts';
import type { Destination } from './resolve.ts';
import { identifyingHeaders, signatureHeaders } from './signature.ts';

/** Headers and body of one attempt. */
export interface PreparedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Steward-Webhooks/1' };

/** Builds, encrypts or encodes, and signs the request of an attempt that starts `at`, in milliseconds. */
export function prepareRequest(destination: Destination, message: Message, at: number): PreparedRequest {
  const body = finalBody(bodyFor(destination, message), destination.options);
  const headers = {
    ...headersFor(destination, message, at, body),
    'webhook-epoch': destination.epoch,
    ...fixedHeaders,
  };
  return { headers, body };
}

const bodyFor = ({ kind, options }: Destination, message: Message): string =>
  kind === endpointKinds.basicProcessed
    ? JSON.stringify(processedBody(message, options))
    : plainBody(message, options);

function headersFor(
  { kind, secrets }: Destination,
  { webhookId }: Message,
  at: number,
  body: string,
): Record<string, string> {
  if (kind === endpointKinds.advanced) return signatureHeaders({ webhookId, at, body }, secrets);
  const [token] = secrets;
  return {
    ...identifyingHeaders({ webhookId, at }),
    ...(token !== undefined && { authorization: `Basic ${token}` }),
  };
}

/** The message for the key's application at an external provider: it has no `sequence`. */
export function preparePost(
  applicationId: string,
  { options }: Destination,
  message: Message,
): PostedMessage {
  const { sequence: _, ...body } = JSON.parse(plainBody(message, options)) as { sequence: unknown };
  return {
    applicationId,
    eventId: message.webhookId,
    eventType: message.type,
    channels: message.channels,
    payload: JSON.parse(finalBody(JSON.stringify(body), options)) as object,
  };
}
