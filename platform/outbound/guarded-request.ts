import { lookup, type LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { addressRule } from './address-rules.ts';
import { OutboundError } from './outbound-error.ts';

export interface GuardedRequest {
  /** http or https, without user, password and fragment. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Milliseconds for everything: name, connection, answer. */
  readonly timeout: number;
  /** No more of the answer is read; see `cut`. */
  readonly maxResponseBytes: number;
  /** CIDRs that may be reached although they are private. */
  readonly allowedNetworks: readonly string[];
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  /** As it came: redirects are not followed. */
  readonly status: number;
  readonly headers: Readonly<http.IncomingHttpHeaders>;
  readonly body: Buffer;
  /** The answer was longer than `maxResponseBytes`; the connection was closed there. */
  readonly cut: boolean;
}

/**
 * One request to an address that somebody else chose. The name is resolved once, every address that it has is checked,
 * and the connection goes to those: a name that points elsewhere a moment later changes nothing. No redirects, no
 * proxies, no connection kept. Throws `OutboundError` and nothing else.
 */
export async function guardedRequest(request: GuardedRequest): Promise<GuardedResponse> {
  const time = AbortSignal.timeout(request.timeout);
  const signal = request.signal === undefined ? time : AbortSignal.any([time, request.signal]);
  try {
    const url = checkedUrl(request.url);
    const addresses = await unlessAborted(signal, resolve(bare(url.hostname)));
    const allowed = addressRule(request.allowedNetworks);
    if (!addresses.every(({ address }) => allowed(address))) throw new OutboundError('address-refused');
    return await exchange(url, request, addresses, signal);
  } catch (error) {
    if (request.signal?.aborted === true) throw new OutboundError('cancelled');
    if (time.aborted) throw new OutboundError('timed-out');
    throw error instanceof OutboundError ? error : new OutboundError('connection-failed', error);
  }
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  const fit =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '';
  if (!fit) throw new OutboundError('url-refused');
  return url;
}

/** An IPv6 address stands in brackets in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

async function resolve(hostname: string): Promise<LookupAddress[]> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  return new Promise((fulfil, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error === null && found.length > 0) fulfil(found);
      else reject(new OutboundError('not-resolved', error ?? undefined));
    });
  });
}

/** A name server that does not answer cannot be given up, but it need not be waited for. */
async function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((fulfil, reject) => {
    const stop = (): void => reject(new OutboundError('timed-out'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(fulfil, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Answers the addresses that were checked, whatever the name says now. */
const pinned =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };

async function exchange(
  url: URL,
  { method, headers, body, maxResponseBytes }: GuardedRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { request } = url.protocol === 'https:' ? https : http;
  const response = await new Promise<http.IncomingMessage>((fulfil, reject) => {
    let sent: http.ClientRequest;
    try {
      sent = request(url, {
        method,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        // An agent of its own knows no proxy, whatever the environment says, and keeps no connection.
        agent: false,
        lookup: pinned(addresses),
        signal,
      });
    } catch (error) {
      reject(new OutboundError('request-refused', error));
      return;
    }
    sent.once('error', reject);
    sent.once('response', fulfil);
    sent.end(body);
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ...(await bodyOf(response, maxResponseBytes)),
  };
}

async function bodyOf(
  response: http.IncomingMessage,
  most: number,
): Promise<Pick<GuardedResponse, 'body' | 'cut'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the answer, and with it the connection.
    if (length > most) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, most), cut: length > most };
}
