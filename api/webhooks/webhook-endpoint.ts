import { z } from 'zod';
import type { WebhookEndpoint } from '../../domain/webhooks/provider.ts';
import type { Work } from '../http/endpoint.ts';
import { invalidValue } from '../http/request/issues.ts';
import { isUrl, hasNoCredentialsOrFragment, maxUrlLength } from '../configuration/members.ts';
import { customerId, distinctItemsOrNone, integer, text } from '../schemas.ts';

export const endpointId = customerId.meta({ description: 'The id of an endpoint: `ep_…`.' });

export const messageId = customerId.meta({
  description: 'The id of a message, equal to its `webhook-id` header: `evt_…`.',
});

/** Event types and channels. */
const nameForm = /^[A-Za-z0-9_.:-]{1,128}$/;

export const eventType = z
  .string()
  .regex(nameForm, { error: '<m> must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -.' });

/** At most `max` distinct names. An empty list allows every event. */
const names = (max: number) => distinctItemsOrNone(eventType, max);

const notAUrl = invalidValue('<m> must be a valid http(s) URL.');

const url = z
  .string()
  .max(maxUrlLength, { error: notAUrl })
  .refine((sent) => isUrl(sent, hasNoCredentialsOrFragment), { error: notAUrl })
  .meta({
    description: 'http or https, without credentials and fragment. Each attempt checks the resolved address.',
    maxLength: maxUrlLength,
  });

const maxMetadata = 50;

const metadata = z
  .record(z.string().min(1).max(128), text(1_000))
  .superRefine((sent, context) => {
    if (Object.keys(sent).length <= maxMetadata) return;
    context.addIssue({ code: 'custom', message: `<m> must hold at most ${String(maxMetadata)} members.` });
  })
  .meta({ description: 'At most 50 custom strings; write-only.' });

export const uid = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,256}$/, {
    error: '<m> must be 1 to 256 of the characters A-Z a-z 0-9 _ . -.',
  })
  .describe('Your own id for the endpoint, unique within the API key: 1 to 256 of `A-Z a-z 0-9 _ . -`.');

/** Members that create and update accept. */
export const endpointMembers = {
  url,
  description: text(1_000).describe('Description, max 1,000 characters.'),
  filterTypes: names(100).describe('Event types to deliver; unset or empty: all.'),
  channels: names(10).describe(
    'Ids of organizations and documents whose events are delivered; unset or empty: all.',
  ),
  disabled: z.boolean().describe('True creates the endpoint without deliveries.'),
  rateLimit: integer(1, 10_000).describe('Messages per second; further messages are delayed.'),
  metadata,
};

export const endpointResponse = z
  .strictObject({
    id: z.string().describe('Id of the endpoint.'),
    url: z.string().describe('URL of the endpoint.'),
    description: z.string().nullable().describe('Description. Null when none was sent.'),
    filterTypes: z
      .array(z.string())
      .readonly()
      .nullable()
      .describe('Event types that are delivered. Null: all.'),
    channels: z
      .array(z.string())
      .readonly()
      .nullable()
      .describe('Ids of organizations and documents whose events are delivered. Null: all.'),
    disabled: z.boolean().describe('Whether deliveries are stopped.'),
    disabledReason: z
      .string()
      .nullable()
      .meta({ description: 'Why Steward disabled the endpoint; null when you disabled it.' }),
    rateLimit: z
      .int()
      .nullable()
      .describe('Messages per second; further messages are delayed. Null: no limit.'),
    uid: z.string().nullable().describe('Your own id for the endpoint. Null when none was sent.'),
    createdAt: z.iso.datetime().describe('When the endpoint was created, in ISO 8601 (UTC).'),
    updatedAt: z.iso.datetime().describe('When the endpoint last changed, in ISO 8601 (UTC).'),
  })
  .meta({ id: 'WebhookEndpoint' });

/** The response of create and update. */
export const writtenEndpointResponse = endpointResponse
  .extend({
    warning: z
      .string()
      .optional()
      .meta({ description: 'Present when the host of `url` is an address to which every attempt fails.' }),
  })
  .meta({ id: 'WrittenWebhookEndpoint' });

const addressWarning =
  'The host of url is a private or reserved address: every attempt to deliver to it will fail.';

/** Adds the address warning. Svix guards its own deliveries, so its endpoints have no warning. */
export const writtenEndpoint = (
  endpoint: WebhookEndpoint,
  { webhooks, outbound }: Work,
): z.input<typeof writtenEndpointResponse> =>
  webhooks.name === 'embedded' && outbound.refusesAddressOf(endpoint.url)
    ? { ...endpoint, warning: addressWarning }
    : endpoint;
