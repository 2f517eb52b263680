import { ApiException, Svix } from 'svix';
import { alreadyExists, DomainError, invalidMember, notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';

export interface SvixAccess {
  readonly token: string;
  /** Undefined: Svix's own, by the region of the token. */
  readonly serverUrl: string | undefined;
}

/** Milliseconds for one request to Svix. */
const requestTime = 10_000;

/** A client whose requests end with the signal. It tries nothing again: callers have deadlines, and workflows behind them. */
export function svixClient({ token, serverUrl }: SvixAccess, signal?: AbortSignal): Svix {
  const within = (): AbortSignal => {
    const time = AbortSignal.timeout(requestTime);
    return signal === undefined ? time : AbortSignal.any([time, signal]);
  };
  return new Svix(token, {
    ...(serverUrl !== undefined && { serverUrl }),
    retryScheduleInMs: [],
    fetch: async (input, init) => fetch(input, { ...init, signal: within(), redirect: 'error' }),
  });
}

/** Ids become parts of a path, in which dots would lead elsewhere: what cannot be one is not there. */
export function idForSvix(id: string): string {
  if (!/^[A-Za-z0-9_.-]{1,256}$/.test(id) || /^\.+$/.test(id)) throw notFound(messages.webhookProviderFailed);
  return id;
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiException ? error.code : undefined;

/** Says what a failure at Svix means to the caller; what Svix wrote stays here, as it may quote the request. */
export async function refusing<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
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
        throw new DomainError('UNAVAILABLE', messages.unavailable);
    }
  }
}
