import { featureTypeOf } from '../../domain/webhooks/delivery/payload.ts';
import { eventTypes } from '../../domain/webhooks/event-types.ts';
import type { EventType } from '../../domain/webhooks/event-types/event-type.ts';
import { groupOf } from './groups.ts';
import type { JsonSchema } from './json-schema.ts';

const header = (name: string, description: string, required: boolean, pattern: string, example: string) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', pattern },
  example,
});

const webhookId = 'evt_0123456789abcdefghijABCDEFGHIJ01';

/** Headers of every webhook, as shared parameters. */
export const webhookParameters: Readonly<Record<string, JsonSchema>> = {
  WebhookId: header(
    'webhook-id',
    'Id of the message, the same in all attempts: deduplicate by it.',
    true,
    '^[!-~]+$',
    webhookId,
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Start of the attempt, in seconds since the epoch. Reject a message whose timestamp is 5 minutes off.',
    true,
    String.raw`^\d+$`,
    '1790000000',
  ),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures of [Standard Webhooks](https://www.standardwebhooks.com), separated by spaces: one for each valid secret of the endpoint. Each is `v1,` and the base64 of HMAC-SHA-256 over `webhook-id`, a dot, `webhook-timestamp`, a dot, and the body as received. The key is the base64 after `whsec_` of the secret.',
    true,
    String.raw`^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$`,
    'v1,dRHTW9Bc9j281ZBbqLvf9HWuQYltnerzNmmT3p/yuug=',
  ),
  WebhookEpoch: header(
    'webhook-epoch',
    'Within an epoch, each `sequence` of an endpoint belongs to one event. Grows when an operator restores a backup or promotes a standby. Not signed. Absent from messages that Svix sends.',
    false,
    String.raw`^\d+$`,
    '1',
  ),
};

/** Returns the members of a webhook's body around the schema of its `data`, for the document and for the client. */
function eventSchema({ name, schema }: Pick<EventType, 'name' | 'schema'>): JsonSchema {
  return {
    type: 'object',
    required: ['event', 'actionType', 'source', 'webhookId', 'version', 'data'],
    properties: {
      event: { type: 'string', const: name, description: 'The type of the event.' },
      actionType: { type: 'string', const: name, description: 'The same as `event`.' },
      source: {
        type: 'string',
        description: 'The feature that emitted the event; `system` for events of Steward itself.',
      },
      webhookId: { type: 'string', description: 'The same in all attempts, as in `webhook-id`.' },
      version: { type: 'integer', const: 1, description: 'Version of the form of the body.' },
      sequence: {
        type: ['integer', 'null'],
        description:
          'Number of the message, without a gap within an endpoint. Null for test messages. Absent from messages that Svix sends.',
      },
      data: { description: 'Data of the event.', ...schema },
    },
  };
}

const delivery = `Sent to each subscribed endpoint, at least once. The body is signed; see \`webhook-signature\`.

With \`encodeData\` of the advanced webhook configuration, the body is \`{"encodedPayload"}\`, base64 of the body below. With \`encryptData\`, it is \`{"encryptedData", "encryptedKey", "iv"}\`, all base64. The body below is encrypted with AES-256-CBC, and its key of 32 bytes with \`publicKey\` by RSA-OAEP with SHA-256, also for MGF1. With \`enableDataProtection\`, \`data\` has ids, types, states, numbers and times only: other texts are absent, also those that the schema requires.`;

/** Returns the webhooks of the document: one for each predefined type of event. */
export const webhooks = (): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(eventTypes.map((type) => [type.name, { post: webhook(type) }]));

const { name: tag } = groupOf({ paths: ['/v2/workspace/advancedwebhook/'], credentials: 'apiKey' });

function webhook(type: EventType): JsonSchema {
  const { name, description, example } = type;
  return {
    operationId: `events.${name}`,
    summary: description,
    description: delivery,
    tags: [tag],
    security: [],
    parameters: Object.keys(webhookParameters).map((id) => ({ $ref: `#/components/parameters/${id}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: eventSchema(type),
          example: {
            event: name,
            actionType: name,
            source: featureTypeOf(name, JSON.stringify(example)),
            webhookId,
            version: 1,
            sequence: 1,
            data: example,
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'The message was received.' },
      '410': { description: 'The endpoint is gone. Steward disables it.' },
      default: { description: 'The message was not received. Steward retries.' },
    },
  };
}
