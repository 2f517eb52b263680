import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../figure.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId } from '../tenant.ts';

const lanes = 4;
const betweenRequests = 15;

/** Latency of another key's requests during a deletion. */
export interface OrdinaryRequests {
  /** Milliseconds within which 99 of 100 requests since the last call were served. */
  p99(): number;
  stop(): Promise<void>;
}

/** Sends small reads and writes of another key at a constant rate. */
export function makeRequests({ tenant: { steward } }: Site): OrdinaryRequests {
  let took: number[] = [];
  const stopping = new AbortController();
  const calls = [
    () => steward.documents.get({ organizationId, documentIds: [documentId] }),
    () => steward.users.get({ organizationId, pageSize: 10 }),
    () =>
      steward.activities.add({
        organizationId,
        documentId,
        activities: [
          {
            id: 'ordinary',
            featureType: 'comment',
            actionType: 'comment.add',
            actionUser: { userId: 'bench' },
          },
        ],
      }),
  ];
  const lane = async (first: number): Promise<void> => {
    for (let turn = first; !stopping.signal.aborted; turn += 1) {
      const began = performance.now();
      await calls[turn % calls.length]?.();
      took.push(performance.now() - began);
      await pause(betweenRequests);
    }
  };
  const working = Promise.all(Array.from({ length: lanes }, (_, first) => lane(first)));
  return {
    p99() {
      const since = took;
      took = [];
      return quantile(since, 0.99);
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
