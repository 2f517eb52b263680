import { ApiException, Svix } from 'svix';
import { boundedFetch } from '../../../platform/outbound/bounded-fetch.ts';
import { alreadyExists, DomainError, invalidMember, notFound, unavailable } from '../../errors.ts';
import { messages } from '../../messages.ts';

export interface SvixAccess {
  readonly token: string;
  /** Undefined: Svix's cloud, in the region of the token. */
  readonly serverUrl: string | undefined;
  /** Whether calls to other servers are paused. */
  readonly paused?: boolean;
}

/** Milliseconds for one request to Svix. */
const requestTimeoutMs = 10_000;

/** Max decompressed bytes of a response. The pages that are requested have at most 10 MiB. */
const maxResponseBytes = 16_777_216;

/**
 * A client whose requests abort with the signal. It does not retry: callers have deadlines, and workflows retry. Throws
 * UNAVAILABLE while calls are paused.
 */
export function svixClient({ token, serverUrl, paused = false }: SvixAccess, signal?: AbortSignal): Svix {
  if (paused) throw new DomainError('UNAVAILABLE', messages.outgoingPaused);
  const within = (): AbortSignal => {
    const time = AbortSignal.timeout(requestTimeoutMs);
    return signal === undefined ? time : AbortSignal.any([time, signal]);
  };
  return new Svix(token, {
    ...(serverUrl !== undefined && { serverUrl }),
    retryScheduleInMs: [],
    fetch: async (input, init) => boundedFetch(maxResponseBytes, {})(input, { ...init, signal: within() }),
  });
}

/** Throws NOT_FOUND for an id that would change the request's path, such as `..`. */
export function idForSvix(id: string): string {
  if (!/^[A-Za-z0-9_.-]{1,256}$/.test(id) || /^\.+$/.test(id)) throw notFound(messages.webhookProviderFailed);
  return id;
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiException ? error.code : undefined;

/** Maps Svix errors to domain errors. Drops Svix's text, which may quote the request. */
export async function withDomainErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    switch (statusOf(error)) {
      case 404:
        throw notFound(messages.webhookProviderFailed);
      case 409:
        throw alreadyExists(messages.webhookUidTaken);
      case 400:
      case 413:
      case 422:
        throw invalidMember('', messages.webhookProviderFailed);
      default:
        throw unavailable();
    }
  }
}
