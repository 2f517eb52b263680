import { Ordering, type Svix } from 'svix';
import { DomainError, notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { maxRowsWithin } from '../../page-limit.ts';
import { attemptStatuses } from '../delivery/message.ts';
import { secretOverlapMs } from '../endpoints/secrets.ts';
import type { MessageFilter, PageRequest, WebhookEndpoints, WebhookMessage } from '../provider.ts';
import { mapPage, type ListPage } from '../list-page.ts';
import { typeForSvix } from './event-types.ts';
import { idForSvix, withDomainErrors, statusOf } from './svix-client.ts';
import { attemptView, svixEndpointView, messageView, statusForSvix, statusOfSvix } from './svix-views.ts';

/** The endpoints of one key, stored at Svix in the key's application. */
export function svixEndpoints(svix: Svix, application: string): WebhookEndpoints {
  return {
    create: ({ filterTypes, rateLimit, description, channels, uid, metadata, ...request }, callId) =>
      withDomainErrors(async () => {
        const endpoint = {
          ...request,
          description: description ?? '',
          eventTypes: restriction(filterTypes?.map(typeForSvix)),
          channels: restriction(channels),
          throttleRate: rateLimit ?? null,
          ...(uid !== undefined && { uid }),
          ...(metadata !== undefined && { metadata }),
        };
        const options = callId === undefined ? {} : { idempotencyKey: callId };
        return svixEndpointView(await svix.endpoint.create(application, endpoint, options));
      }),
    list: (page) =>
      withDomainErrors(async () => {
        const options = { ...svixPaging(page), order: Ordering.Ascending };
        return mapPage(listPageOf(page, await svix.endpoint.list(application, options)), svixEndpointView);
      }),
    update: (id, { filterTypes, channels, rateLimit, description, url, disabled, metadata }) =>
      withDomainErrors(async () => {
        const patch = {
          ...(url !== undefined && { url }),
          ...(disabled !== undefined && { disabled }),
          ...(metadata !== undefined && { metadata }),
          ...(description !== undefined && { description: description ?? '' }),
          ...(filterTypes !== undefined && { eventTypes: restriction(filterTypes?.map(typeForSvix)) }),
          ...(channels !== undefined && { channels: restriction(channels) }),
          ...(rateLimit !== undefined && { throttleRate: rateLimit }),
        };
        const before = svixEndpointView(await svix.endpoint.get(application, idForSvix(id)));
        const after = svixEndpointView(await svix.endpoint.patch(application, idForSvix(id), patch));
        return { before, after };
      }),
    remove: (id) =>
      withDomainErrors(async () => {
        const removed = svixEndpointView(await svix.endpoint.get(application, idForSvix(id)));
        await svix.endpoint.delete(application, idForSvix(id));
        return removed;
      }),
    readSecret: (id) =>
      withDomainErrors(async () => (await svix.endpoint.getSecret(application, idForSvix(id))).key),
    rotateSecret: (id) =>
      withDomainErrors(async () => {
        await svix.endpoint.rotateSecret(application, idForSvix(id), {});
        const { key } = await svix.endpoint.getSecret(application, idForSvix(id));
        return { secret: key, previousSecretExpiresAt: Date.now() + secretOverlapMs };
      }),
    ...reading(svix, application),
    resend: (id, messageId) =>
      withDomainErrors(async () => {
        refuseDisabled(await svix.endpoint.get(application, idForSvix(id)));
        try {
          await svix.messageAttempt.resend(application, idForSvix(messageId), idForSvix(id));
        } catch (error) {
          if (statusOf(error) === 404) throw notFound(messages.webhookMessageMissing);
          throw error;
        }
      }),
    recover: (id, { since, until }) =>
      withDomainErrors(async () => {
        refuseDisabled(await svix.endpoint.get(application, idForSvix(id)));
        const span = { since: new Date(since), until: new Date(until) };
        await svix.endpoint.recover(application, idForSvix(id), span);
        return null;
      }),
  };
}

/** Throws FAILED_PRECONDITION for a disabled endpoint. */
export function refuseDisabled({ disabled }: { readonly disabled?: boolean }): void {
  if (disabled === true) throw new DomainError('FAILED_PRECONDITION', messages.webhookEndpointDisabled);
}

function reading(
  svix: Svix,
  application: string,
): Pick<WebhookEndpoints, 'listAttempts' | 'listMessages' | 'readStats'> {
  return {
    listAttempts: (id, { messageId, status }, page) =>
      withDomainErrors(async () => {
        const options = {
          ...svixPaging(page),
          withMsg: true,
          ...(status !== undefined && { status: statusForSvix[status] }),
        };
        const found =
          messageId === undefined
            ? await svix.messageAttempt.listByEndpoint(application, idForSvix(id), options)
            : await svix.messageAttempt.listByMsg(application, idForSvix(messageId), {
                ...options,
                endpointId: idForSvix(id),
              });
        // Drops messages that Svix lists without an ended attempt.
        const ended = {
          ...found,
          data: found.data.filter((one) => statusOfSvix[one.status] in attemptStatuses),
        };
        return mapPage(listPageOf(page, ended), (attempt) => attemptView(attempt));
      }),
    listMessages: (id, filter, page) =>
      withDomainErrors(async () => {
        if (filter.messageId !== undefined)
          return oneMessage(svix, application, id, filter.messageId, filter);
        const { status, eventTypes, channel, since, until } = filter;
        const options = {
          ...svixPaging(page),
          ...(status !== undefined && { status: statusForSvix[status] }),
          ...(eventTypes !== undefined && { eventTypes: eventTypes.map(typeForSvix) }),
          ...(channel !== undefined && { channel }),
          ...(since !== undefined && { after: new Date(since) }),
          ...(until !== undefined && { before: new Date(until) }),
        };
        const found = await svix.messageAttempt.listAttemptedMessages(application, idForSvix(id), options);
        return mapPage(listPageOf(page, found), messageView);
      }),
    readStats: (id, since) =>
      withDomainErrors(async () => {
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

/** Svix cannot list one message of one endpoint, so this reads its status from the message's destinations. */
async function oneMessage(
  svix: Svix,
  application: string,
  endpointId: string,
  messageId: string,
  { status, eventTypes, channel, since = 0, until = Number.MAX_SAFE_INTEGER }: MessageFilter,
): Promise<ListPage<WebhookMessage>> {
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
      (eventTypes === undefined || eventTypes.includes(view.eventType)) &&
      (channel === undefined || view.channels.includes(channel)) &&
      view.timestamp >= since &&
      view.timestamp < until;
    return fits ? { ...none, items: [view] } : none;
  } catch (error) {
    if (statusOf(error) === 404) return none;
    throw error;
  }
}

/** For Svix, null means no restriction, and an empty list is invalid. */
const restriction = (names: readonly string[] | null | undefined): string[] | null =>
  names === undefined || names === null || names.length === 0 ? null : [...names];

/** Max bytes of an endpoint with its metadata, a message or an attempt with its message, as Svix returns them. */
const maxItemBytes = 327_680;

/** Svix does not end its pages by bytes, so a page has as many items as fit at their largest size. */
const svixPaging = ({ cursor, limit }: PageRequest) => ({
  limit: maxRowsWithin(limit, maxItemBytes),
  ...(cursor !== undefined && { iterator: cursor[1] ?? null }),
});

interface SvixPage<Item> {
  readonly data: readonly Item[];
  readonly iterator: string | null;
  readonly prevIterator?: string | null;
  readonly done: boolean;
}

/**
 * Removes the iterators that Svix also returns at the ends of a list, because Steward returns none there. Svix's `done`
 * is true at the end of the list in the direction of the request.
 */
function listPageOf<Item>(
  { cursor, limit }: PageRequest,
  { data, iterator, prevIterator = null, done }: SvixPage<Item>,
): ListPage<Item> {
  const backward = cursor?.[0] === 'before';
  const isLast = backward ? false : done;
  const isFirst = backward ? done : cursor === undefined;
  return {
    items: data,
    next: isLast || iterator === null ? undefined : ['from', iterator],
    previous: isFirst || prevIterator === null ? undefined : ['before', prevIterator],
    cut: !done && maxRowsWithin(limit, maxItemBytes) < limit.rows,
  };
}
