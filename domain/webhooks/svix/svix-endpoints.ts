import { Ordering, type Svix } from 'svix';
import { notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { attemptStatuses } from '../delivery/message.ts';
import { secretOverlap } from '../endpoints/secrets.ts';
import type { MessageFilter, Part, WebhookEndpoints, WebhookMessage } from '../provider.ts';
import { shown, type Stretch } from '../stretch.ts';
import { idForSvix, refusing, statusOf } from './svix-client.ts';
import { attemptView, endpointView, messageView, statusForSvix, statusOfSvix } from './svix-views.ts';

/** The endpoints of one key, kept at Svix under the key's application. */
export function svixEndpoints(svix: Svix, application: string): WebhookEndpoints {
  return {
    create: ({ filterTypes, rateLimit, description, channels, uid, metadata, ...request }) =>
      refusing(async () => {
        const endpoint = {
          ...request,
          description: description ?? '',
          eventTypes: restriction(filterTypes),
          channels: restriction(channels),
          throttleRate: rateLimit ?? null,
          ...(uid !== undefined && { uid }),
          ...(metadata !== undefined && { metadata }),
        };
        return endpointView(await svix.endpoint.create(application, endpoint));
      }),
    list: (part) =>
      refusing(async () => {
        const options = { ...pageOf(part), order: Ordering.Ascending };
        return shown(stretchOf(await svix.endpoint.list(application, options)), endpointView);
      }),
    update: (id, { filterTypes, channels, rateLimit, description, url, disabled, metadata }) =>
      refusing(async () => {
        const patch = {
          ...(url !== undefined && { url }),
          ...(disabled !== undefined && { disabled }),
          ...(metadata !== undefined && { metadata }),
          ...(description !== undefined && { description: description ?? '' }),
          ...(filterTypes !== undefined && { eventTypes: restriction(filterTypes) }),
          ...(channels !== undefined && { channels: restriction(channels) }),
          ...(rateLimit !== undefined && { throttleRate: rateLimit }),
        };
        return endpointView(await svix.endpoint.patch(application, idForSvix(id), patch));
      }),
    remove: (id) => refusing(async () => svix.endpoint.delete(application, idForSvix(id))),
    readSecret: (id) => refusing(async () => (await svix.endpoint.getSecret(application, idForSvix(id))).key),
    rotateSecret: (id) =>
      refusing(async () => {
        await svix.endpoint.rotateSecret(application, idForSvix(id), {});
        const { key } = await svix.endpoint.getSecret(application, idForSvix(id));
        return { secret: key, previousSecretExpiresAt: Date.now() + secretOverlap };
      }),
    ...reading(svix, application),
    resend: (id, messageId) =>
      refusing(async () => {
        await svix.endpoint.get(application, idForSvix(id));
        try {
          await svix.messageAttempt.resend(application, idForSvix(messageId), idForSvix(id));
        } catch (error) {
          if (statusOf(error) === 404) throw notFound(messages.webhookMessageMissing);
          throw error;
        }
      }),
    recover: (id, { since, until }) =>
      refusing(async () => {
        const span = { since: new Date(since), until: new Date(until) };
        await svix.endpoint.recover(application, idForSvix(id), span);
        return null;
      }),
  };
}

function reading(
  svix: Svix,
  application: string,
): Pick<WebhookEndpoints, 'listAttempts' | 'listMessages' | 'readStats'> {
  return {
    listAttempts: (id, { messageId, status }, part) =>
      refusing(async () => {
        const page = {
          ...pageOf(part),
          withMsg: true,
          ...(status !== undefined && { status: statusForSvix[status] }),
        };
        const found =
          messageId === undefined
            ? await svix.messageAttempt.listByEndpoint(application, idForSvix(id), page)
            : await svix.messageAttempt.listByMsg(application, idForSvix(messageId), {
                ...page,
                endpointId: idForSvix(id),
              });
        // What is still on its way has not been attempted yet.
        const over = {
          ...found,
          data: found.data.filter((one) => statusOfSvix[one.status] in attemptStatuses),
        };
        return shown(stretchOf(over), (attempt) => attemptView(attempt));
      }),
    listMessages: (id, filter, part) =>
      refusing(async () => {
        if (filter.messageId !== undefined)
          return oneMessage(svix, application, id, filter.messageId, filter);
        const { status, eventTypes } = filter;
        const options = {
          ...pageOf(part),
          ...(status !== undefined && { status: statusForSvix[status] }),
          ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }),
        };
        const found = await svix.messageAttempt.listAttemptedMessages(application, idForSvix(id), options);
        return shown(stretchOf(found), messageView);
      }),
    readStats: (id, since) =>
      refusing(async () => {
        const options = { since: new Date(since) };
        const counts = await svix.endpoint.getStats(application, idForSvix(id), options);
        return {
          pending: counts.pending + counts.sending,
          succeeded: counts.success,
          failed: counts.fail,
          cancelled: counts.canceled,
          p95Ms: null,
          lastAttemptAt: null,
          lastSuccessAt: null,
          failingSince: null,
        };
      }),
  };
}

/** Svix has no list of one message at one endpoint: its destinations tell how it stands at this one. */
async function oneMessage(
  svix: Svix,
  application: string,
  endpointId: string,
  messageId: string,
  { status, eventTypes }: MessageFilter,
): Promise<Stretch<WebhookMessage>> {
  const none = { items: [], next: undefined, previous: undefined };
  const endpoint = await svix.endpoint.get(application, idForSvix(endpointId));
  try {
    const id = idForSvix(messageId);
    const [message, destinations] = await Promise.all([
      svix.message.get(application, id),
      svix.messageAttempt.listAttemptedDestinations(application, id, { limit: 250 }),
    ]);
    const here = destinations.data.find((destination) => destination.id === endpoint.id);
    if (here === undefined) return none;
    const { status: state, statusText, nextAttempt = null } = here;
    const view = messageView({ ...message, status: state, statusText, nextAttempt });
    const fits =
      (status === undefined || view.status === status) &&
      (eventTypes === undefined || eventTypes.includes(view.eventType));
    return fits ? { ...none, items: [view] } : none;
  } catch (error) {
    if (statusOf(error) === 404) return none;
    throw error;
  }
}

/** Svix restricts nothing by null, and refuses an empty list. */
const restriction = (names: readonly string[] | null | undefined): string[] | null =>
  names === undefined || names === null || names.length === 0 ? null : [...names];

const pageOf = ({ start, limit }: Part) => ({
  limit: limit.rows,
  ...(start !== undefined && { iterator: start[1] ?? null }),
});

interface SvixPage<Item> {
  readonly data: readonly Item[];
  readonly iterator: string | null;
  readonly prevIterator?: string | null;
  readonly done: boolean;
}

/** Svix answers an iterator at the end as well, from which a later call would go on; here the end has none. */
function stretchOf<Item>({ data, iterator, prevIterator, done }: SvixPage<Item>): Stretch<Item> {
  return {
    items: data,
    next: done || iterator === null ? undefined : ['from', iterator],
    previous: prevIterator === null || prevIterator === undefined ? undefined : ['before', prevIterator],
  };
}
