import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/create-client.ts';
import { StewardError } from '../../client/steward-error.ts';
import type { DocumentLocation } from './stage.ts';

/** Parties that write to a document one activity after another, whatever happens to it. */
export interface Writers {
  /** Ids of the activities that the API said it has; nothing else counts as written. */
  readonly acknowledged: readonly string[];
  /** How many writes found that the document had moved, and were repeated under its new id. */
  readonly redirected: () => number;
  /** Milliseconds of the write that took longest. */
  readonly slowest: () => number;
  /** How many of the acknowledged were written under this id. */
  under(documentId: string): number;
  /** Resolves when so many more have been acknowledged under this id; rejects when a writer fails. */
  reached(more: number, documentId: string): Promise<void>;
  /** Lets every write under way end; throws what a writer could not go on from. */
  stop(): Promise<void>;
}

export function startWriters(
  steward: Client<'apiKey'>,
  document: DocumentLocation,
  howMany: number,
): Writers {
  const acknowledged: string[] = [];
  const places = new Map<string, number>();
  const waiting = new Set<() => void>();
  const stopping = new AbortController();
  let [redirected, slowest] = [0, 0];

  const write = async (writer: number): Promise<void> => {
    let { documentId } = document;
    for (let number = 0; !stopping.signal.aborted;) {
      const began = performance.now();
      try {
        const activities = [edit(writer, number)];
        const { data } = await steward.call(
          '/v2/activities/add',
          { organizationId: document.organizationId, documentId, activities },
          { idempotencyKey: randomUUID() },
        );
        acknowledged.push(...data.activityIds);
        places.set(documentId, (places.get(documentId) ?? 0) + 1);
        slowest = Math.max(slowest, performance.now() - began);
        number += 1;
        for (const look of waiting) look();
      } catch (error) {
        const movedTo = error instanceof StewardError ? error.details['movedTo'] : undefined;
        if (typeof movedTo !== 'string') throw error;
        redirected += 1;
        documentId = movedTo;
      }
    }
  };
  const writing = Promise.all(Array.from({ length: howMany }, (_, writer) => write(writer)));
  // Heard by whoever waits or stops: a writer that fails in between must not end the process.
  writing.catch(() => stopping.abort());
  const under = (documentId: string): number => places.get(documentId) ?? 0;
  return {
    acknowledged,
    redirected: () => redirected,
    slowest: () => slowest,
    under,
    async reached(more, documentId) {
      const goal = under(documentId) + more;
      const reached = new Promise<void>((resolve) => {
        const look = (): void => {
          if (under(documentId) < goal) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      });
      await Promise.race([reached, writing]);
    },
    async stop() {
      stopping.abort();
      await writing;
    },
  };
}

const edit = (writer: number, number: number) => ({
  featureType: 'custom' as const,
  actionType: 'paragraph.edit',
  actionUser: { userId: `writer-${String(writer)}` },
  targetEntityId: `paragraph-${String(number)}`,
});
