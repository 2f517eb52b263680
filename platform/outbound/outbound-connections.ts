import type { Agent } from 'undici';
import { destinationOf } from './destination.ts';
import { guardedAgent, keptLongest, type OutboundPolicy } from './guarded-agent.ts';
import { exchange, type OutboundRequest, type OutboundResponse } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';

/** Requests to addresses that somebody else chose, over connections that are kept for a moment. */
export interface Outbound {
  /**
   * Connections are shared by what has the same key and by nothing else: a server that hangs delays its own key only. As
   * many are made as there are requests at once. Throws `OutboundError` and nothing else.
   */
  send(key: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Ends every connection; what is under way fails with `connection-failed`. */
  close(): Promise<void>;
}

interface Kept {
  readonly agent: Agent;
  /** Requests under way. */
  running: number;
  forget: NodeJS.Timeout | undefined;
}

/** The guard stands in `guarded-agent.ts`: it is asked at each connect. */
export function openOutbound(policy: OutboundPolicy): Outbound {
  const kept = new Map<string, Kept>();
  const forget = (key: string, { agent }: Kept): void => {
    kept.delete(key);
    void agent.destroy();
  };
  return {
    async send(key, request) {
      const url = destinationOf(request.url, policy.httpsOnly ?? false);
      const own = kept.get(key) ?? { agent: guardedAgent(policy), running: 0, forget: undefined };
      kept.set(key, own);
      clearTimeout(own.forget);
      own.running += 1;
      try {
        return await exchange(own.agent, url, request);
      } catch (error) {
        throw error instanceof OutboundError ? error : new OutboundError('connection-failed', error);
      } finally {
        own.running -= 1;
        if (own.running === 0) own.forget = setTimeout(forget, keptLongest, key, own).unref();
      }
    },
    async close() {
      const agents = [...kept.values()].map(({ agent, forget }) => {
        clearTimeout(forget);
        return agent.destroy();
      });
      kept.clear();
      await Promise.all(agents);
    },
  };
}
