import { setTimeout as pause } from 'node:timers/promises';
import { ApiException, type Svix } from 'svix';
import { DomainError } from '../../errors.ts';
import { messages } from '../../messages.ts';
import type { PostedMessage, PostOutcome, SvixProvider, WebhookAttempt } from '../provider.ts';
import { idForSvix, refusing, statusOf, svixClient, type SvixAccess } from './svix-client.ts';
import { svixEndpoints } from './svix-endpoints.ts';
import { attemptView, statusOfSvix } from './svix-views.ts';

/** What Svix takes as a channel; an event's other places match no endpoint there, as they match none here. */
const channelForm = /^[A-Za-z0-9_.-]{1,128}$/;

/** Channels that a message may have at Svix. */
const maxChannels = 5;

/** Milliseconds between two looks for the attempt of a test. */
const lookAgain = 250;

/** Advanced webhooks by Svix, through its own client. */
export function svixProvider(access: SvixAccess): SvixProvider {
  return {
    name: 'svix',
    async ensureApplication(application, signal) {
      await svixClient(access, signal).application.getOrCreate({ name: application, uid: application });
    },
    endpointsOf: (application, signal) => svixEndpoints(svixClient(access, signal), application),
    test: ({ applicationId, endpointId, eventType }, signal) =>
      refusing(async () => test(svixClient(access, signal), applicationId, endpointId, eventType, signal)),
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
      { eventId, eventType, payload, ...(known.length > 0 && { channels: known }) },
      { idempotencyKey: eventId },
    );
    return { httpStatus: 202, error: null, response: '' };
  } catch (error) {
    const status = statusOf(error);
    // The event's id is taken: an earlier try has brought it there.
    if (status === 409) return { httpStatus: status, error: null, response: '' };
    const answered = status === undefined ? 'did not answer' : `answered with the status ${String(status)}`;
    const response = error instanceof ApiException ? textOf(error.body) : '';
    return { httpStatus: status ?? null, error: `Svix ${answered}.`, response };
  }
}

const textOf = (body: unknown): string =>
  (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 1_024);

async function test(
  svix: Svix,
  application: string,
  endpointId: string,
  eventType: string,
  signal: AbortSignal,
): Promise<WebhookAttempt> {
  const endpoint = await svix.endpoint.get(application, idForSvix(endpointId));
  if (endpoint.disabled === true)
    throw new DomainError('FAILED_PRECONDITION', messages.webhookEndpointDisabled);
  const sent = await svix.endpoint.sendExample(application, endpoint.id, { eventType });
  while (!signal.aborted) {
    const { data } = await svix.messageAttempt.listByMsg(application, sent.id, { endpointId: endpoint.id });
    const made = data.find(({ status }) => statusOfSvix[status] !== 'pending');
    if (made !== undefined) return { ...attemptView(made, eventType), trigger: 'test' };
    await pause(lookAgain, undefined, { signal }).catch(() => undefined);
  }
  throw new DomainError('DEADLINE_EXCEEDED', messages.deadline);
}
