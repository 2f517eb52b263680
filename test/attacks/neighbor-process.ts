import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDocument } from '../support/factories.ts';
import type { NeighborCalls, NeighborReport } from './neighbor.ts';

/** Returns what a tenant calls while another one attacks. Its activity logs are on. One that reconnects probes, too. */
export function neighborCalls(
  url: string,
  { headers }: Pick<TestClient, 'headers'>,
  document: TestDocument,
  reconnects = false,
): NeighborCalls {
  const activity = { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'neighbor' } };
  return {
    url,
    headers,
    reconnects,
    requests: [
      ...(reconnects ? [{ path: '/healthz' }, { path: '/readyz' }] : []),
      { path: '/v1/organizations/get', data: { organizationIds: [document.organizationId] } },
      { path: '/v2/activities/add', data: { ...document, activities: [activity] } },
      { path: '/v2/activities/get', data: { ...document, pageSize: 10 } },
    ],
  };
}

/** Messages from the neighbor's process. */
type Message = 'called' | NeighborReport;

/** Another tenant that calls. */
export interface Neighbor {
  /** Resolves when this number of its further calls have ended. */
  served(calls: number): Promise<void>;
  stop(): Promise<NeighborReport>;
}

/** Resolves when the neighbor has ended a call. */
export async function aNeighbor(calls: NeighborCalls): Promise<Neighbor> {
  const { NODE_OPTIONS: _jests, ...env } = process.env;
  const child = fork(fileURLToPath(new URL('neighbor.ts', import.meta.url)), [JSON.stringify(calls)], {
    env,
    execArgv: [],
  });
  let ended = 0;
  const reported = new Promise<NeighborReport>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message === 'called') ended += 1;
      else resolve(message);
    });
    child.once('exit', (code) => reject(new Error(`The neighbor ended with ${String(code)} and no report.`)));
  });
  // Awaited when the neighbor is stopped, which reports a neighbor that has ended before.
  reported.catch(() => undefined);
  const served = async (count: number): Promise<void> => {
    const enough = ended + count;
    await eventually(() => ended >= enough);
  };
  await served(1);
  return {
    served,
    async stop() {
      if (child.connected) child.send('stop');
      return reported;
    },
  };
}
