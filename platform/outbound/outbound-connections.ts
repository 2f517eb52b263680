import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { parseWebUrl } from '../network/parse-web-url.ts';
import { addressRule } from './address-rules.ts';
import { destinationOf } from './destination.ts';
import { guardedAgent, maxKeepAliveMs, type OutboundPolicy } from './guarded-agent.ts';
import { exchange, type OutboundRequest, type OutboundResponse, type Target } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';

/** Sends requests to customers' URLs over connections that are kept alive briefly. */
export interface Outbound {
  /**
   * Only requests with the same key, all of one owner, share connections: a server that hangs delays only its own key.
   * Opens one connection per concurrent request. Throws only `OutboundError`.
   */
  send(key: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Whether the URL's host is a refused address, in any spelling. Names are checked at each attempt instead. */
  refusesAddressOf(url: string): boolean;
  /** Closes every connection; running requests fail with `connection-failed`. */
  close(): Promise<void>;
}

interface Kept {
  readonly agent: Agent;
  /** `performance.now()` of the creation. */
  readonly since: number;
  /** Running requests. */
  running: number;
  forget: NodeJS.Timeout | undefined;
  /** The last URL with its parsed target: an endpoint's URL seldom changes. */
  last: { readonly text: string; readonly target: Target } | undefined;
}

/** Max age of a key's connections, so that changed DNS records take effect. */
const maxAgeMs = 30_000;

/** Every connect passes the guard in `guarded-agent.ts`. */
export function openOutbound(policy: OutboundPolicy, maxAge: number = maxAgeMs): Outbound {
  const kept = new Map<string, Kept>();
  const allowed = addressRule(policy.allowedNetworks);
  /**
   * Agents that take no new requests and close after the running ones. A closing agent of undici cannot be destroyed.
   */
  const retired = new Set<Kept>();
  const retire = (key: string, own: Kept): void => {
    kept.delete(key);
    clearTimeout(own.forget);
    retired.add(own);
    if (own.running === 0) closeIdle(own);
  };
  const closeIdle = (own: Kept): void => {
    retired.delete(own);
    void own.agent.close();
  };
  const present = (key: string, owner: string): Kept => {
    const known = kept.get(key);
    if (known !== undefined && performance.now() - known.since < maxAge) return known;
    if (known !== undefined) retire(key, known);
    const own = {
      agent: guardedAgent(policy, owner),
      since: performance.now(),
      running: 0,
      forget: undefined,
      last: undefined,
    };
    kept.set(key, own);
    return own;
  };
  return {
    async send(key, request) {
      if (policy.paused === true) throw new OutboundError('paused');
      const own = present(key, request.owner);
      clearTimeout(own.forget);
      own.running += 1;
      try {
        if (own.last?.text !== request.url)
          own.last = { text: request.url, target: targetOf(request.url, policy) };
        return await exchange(own.agent, own.last.target, request);
      } catch (error) {
        throw error instanceof OutboundError ? error : new OutboundError('connection-failed', error);
      } finally {
        own.running -= 1;
        if (own.running === 0 && kept.get(key) === own)
          own.forget = setTimeout(retire, maxKeepAliveMs, key, own).unref();
        else if (own.running === 0 && retired.has(own)) closeIdle(own);
      }
    },
    refusesAddressOf(text) {
      // URLs write IPv6 addresses in brackets.
      const host = parseWebUrl(text)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? '';
      return isIP(host) !== 0 && !allowed(host);
    },
    async close() {
      const all = [...kept.values(), ...retired];
      kept.clear();
      retired.clear();
      for (const { forget } of all) clearTimeout(forget);
      await Promise.all(all.map(async ({ agent }) => agent.destroy()));
    },
  };
}

function targetOf(text: string, { httpsOnly = false }: OutboundPolicy): Target {
  const { origin, pathname, search } = destinationOf(text, httpsOnly);
  return { origin, path: pathname + search };
}
