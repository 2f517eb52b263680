import { setTimeout as pause } from 'node:timers/promises';
import { ApiException, type Svix } from 'svix';
import { DomainError } from '../../errors.ts';
import { messages } from '../../messages.ts';
import type { PostedMessage, PostOutcome, SvixProvider, WebhookAttempt } from '../provider.ts';
import { typeForSvix } from './event-types.ts';
import { idForSvix, withDomainErrors, statusOf, svixClient, type SvixAccess } from './svix-client.ts';
import { refuseDisabled, svixEndpoints } from './svix-endpoints.ts';
import { attemptView, statusOfSvix } from './svix-views.ts';

/** Channels that Svix accepts; ids of another form match no endpoint, as with the embedded provider. */
const channelForm = /^[A-Za-z0-9_.-]{1,128}$/;

/** Svix's limit of channels per message. */
const maxChannels = 5;

/** Milliseconds between polls for the attempt of a test. */
const pollMs = 250;

/** Advanced webhooks through the Svix client. */
export function svixProvider(access: SvixAccess): SvixProvider {
  return {
    name: 'svix',
    async ensureApplication(application, signal) {
      const svix = svixClient(access, signal);
      try {
        await svix.application.getOrCreate({ name: application, uid: application });
      } catch (error) {
        // No cause: Svix's error may quote the request, which holds secrets.
        throw new DomainError('UNAVAILABLE', failureText(statusOf(error)));
      }
    },
    endpointsOf: (application, signal) => svixEndpoints(svixClient(access, signal), application),
    test: ({ applicationId, endpointId, eventType }, signal) =>
      withDomainErrors(async () =>
        test(svixClient(access, signal), applicationId, endpointId, eventType, signal),
      ),
    post: async (message, signal) => post(svixClient(access, signal), message),
  };
}

async function post(
  svix: Svix,
  { applicationId, eventId, eventType, channels, payload }: PostedMessage,
): Promise<PostOutcome> {
  const known = channels.filter((channel) => channelForm.test(channel)).slice(0, maxChannels);
  try {
    await svix.message.create(
      applicationId,
      { eventId, eventType: typeForSvix(eventType), payload, ...(known.length > 0 && { channels: known }) },
      { idempotencyKey: eventId },
    );
    return { httpStatus: 202, error: null, response: '' };
  } catch (error) {
    const status = statusOf(error);
    // An earlier attempt has created the message with this event id.
    if (status === 409) return { httpStatus: status, error: null, response: '' };
    const response = error instanceof ApiException ? textOf(error.body) : '';
    return { httpStatus: status ?? null, error: failureText(status), response };
  }
}

const failureText = (status: number | undefined): string =>
  status === undefined ? 'Svix did not respond.' : `Svix responded with ${String(status)}.`;

/** Removes U+0000, which PostgreSQL rejects: the attempt would never be recorded. */
const textOf = (body: unknown): string =>
  (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 1_024).replaceAll('\u0000', '');

async function test(
  svix: Svix,
  application: string,
  endpointId: string,
  eventType: string,
  signal: AbortSignal,
): Promise<WebhookAttempt> {
  const endpoint = await svix.endpoint.get(application, idForSvix(endpointId));
  refuseDisabled(endpoint);
  const sent = await svix.endpoint.sendExample(application, endpoint.id, {
    eventType: typeForSvix(eventType),
  });
  while (!signal.aborted) {
    const { data } = await svix.messageAttempt.listByMsg(application, sent.id, { endpointId: endpoint.id });
    const made = data.find(({ status }) => statusOfSvix[status] !== 'pending');
    if (made !== undefined) return { ...attemptView(made, eventType), trigger: 'test' };
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
  }
  throw new DomainError('DEADLINE_EXCEEDED', messages.deadline);
}
