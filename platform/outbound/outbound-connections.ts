import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { addressRule } from './address-rules.ts';
import { destinationOf } from './destination.ts';
import { guardedAgent, keptLongest, type OutboundPolicy } from './guarded-agent.ts';
import { exchange, type OutboundRequest, type OutboundResponse, type Target } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';

/** Requests to addresses that somebody else chose, over connections that are kept for a moment. */
export interface Outbound {
  /**
   * Connections are shared by what has the same key and by nothing else: a server that hangs delays its own key only. As
   * many are made as there are requests at once. Throws `OutboundError` and nothing else.
   */
  send(key: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Whether the URL's host is an address, in any spelling, that is refused at every attempt. A name is resolved at each. */
  refusesAddressOf(url: string): boolean;
  /** Ends every connection; what is under way fails with `connection-failed`. */
  close(): Promise<void>;
}

interface Kept {
  readonly agent: Agent;
  /** On the clock of `performance`. */
  readonly since: number;
  /** Requests under way. */
  running: number;
  forget: NodeJS.Timeout | undefined;
  /** The last URL, as it was written and as it is called: an endpoint's is mostly the same. */
  last: { readonly text: string; readonly target: Target } | undefined;
}

/** Milliseconds after which connections that are always in use are replaced: a name that points elsewhere is followed then. */
const inUse = 30_000;

/** The guard stands in `guarded-agent.ts`: it is asked at each connect. */
export function openOutbound(policy: OutboundPolicy, life: number = inUse): Outbound {
  const kept = new Map<string, Kept>();
  const allowed = addressRule(policy.allowedNetworks);
  /** No request begins on their connections any more, which end with those under way. */
  const retired = new Set<Agent>();
  const retire = (key: string, { agent, forget }: Kept): void => {
    kept.delete(key);
    clearTimeout(forget);
    retired.add(agent);
    // Fails only when everything is closed before.
    void agent.close().then(
      () => retired.delete(agent),
      () => retired.delete(agent),
    );
  };
  const present = (key: string): Kept => {
    const known = kept.get(key);
    if (known !== undefined && performance.now() - known.since < life) return known;
    if (known !== undefined) retire(key, known);
    const own = {
      agent: guardedAgent(policy),
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
      const own = present(key);
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
          own.forget = setTimeout(retire, keptLongest, key, own).unref();
      }
    },
    refusesAddressOf(text) {
      // Brackets are the form of an IPv6 address in a URL.
      const host = URL.parse(text)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? '';
      return isIP(host) !== 0 && !allowed(host);
    },
    async close() {
      const agents = [...[...kept.values()].map(({ agent }) => agent), ...retired];
      for (const { forget } of kept.values()) clearTimeout(forget);
      kept.clear();
      await Promise.all(agents.map(async (agent) => agent.destroy()));
    },
  };
}

function targetOf(text: string, { httpsOnly = false }: OutboundPolicy): Target {
  const { origin, pathname, search } = destinationOf(text, httpsOnly);
  return { origin, path: pathname + search };
}
