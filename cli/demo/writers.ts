import { StewardError, type ApiKeyClient } from '../../packages/client/source/steward.ts';
import type { DocumentLocation } from './stage.ts';

/** Writers that add activity logs to a document one by one, also while it migrates. */
export interface Writers {
  /** Ids that the API acknowledged. */
  readonly acknowledged: readonly string[];
  /** The number of writes that were repeated under the document's new id. */
  readonly redirected: () => number;
  /** Milliseconds of the slowest write. */
  readonly slowest: () => number;
  /** The number of writes acknowledged under this id. */
  under(documentId: string): number;
  /** Waits for `more` acknowledged writes under this id; rejects when a writer fails. */
  reached(more: number, documentId: string): Promise<void>;
  /** Waits for running writes; throws a writer's error. */
  stop(): Promise<void>;
}

export function startWriters(steward: ApiKeyClient, document: DocumentLocation, howMany: number): Writers {
  const acknowledged: string[] = [];
  const countsById = new Map<string, number>();
  const waiting = new Set<() => void>();
  const stopping = new AbortController();
  let [redirected, slowest] = [0, 0];

  const write = async (writer: number): Promise<void> => {
    let { documentId } = document;
    for (let number = 0; !stopping.signal.aborted;) {
      const began = performance.now();
      try {
        const activities = [edit(writer, number)];
        const { data } = await steward.activities.add({
          organizationId: document.organizationId,
          documentId,
          activities,
        });
        acknowledged.push(...data.activityIds);
        countsById.set(documentId, (countsById.get(documentId) ?? 0) + 1);
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
  // `reached` and `stop` report the error; without this handler, a rejection in between would end the process.
  writing.catch(() => stopping.abort());
  const under = (documentId: string): number => countsById.get(documentId) ?? 0;
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
