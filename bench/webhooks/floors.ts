import { join } from 'node:path';
import { choosePort } from '../../local/ports.ts';
import type { Target } from '../load.ts';
import { startScript } from '../process.ts';
import { whenListening, type Site } from '../site.ts';
import { activities, bodyBytes } from './tenant.ts';

/** `bench/webhooks/floor.ts` as a process. */
export interface FloorServer {
  readonly pid: number;
  /** Accepts a message and delivers it later. */
  readonly messages: Target;
  /** Posts this number of messages. Returns the number per second. */
  raw(messages: number): Promise<number>;
  stop(): Promise<void>;
}

export async function startFloor(site: Site, receiver: string, signal: AbortSignal): Promise<FloorServer> {
  const port = String(await choosePort(undefined));
  const environment = { PORT: port, BENCH_DATABASE_URL: site.databaseUrl, BENCH_RECEIVER: receiver };
  const program = await startScript('bench/webhooks/floor.ts', environment, join(site.folder, 'outbox.log'));
  const url = `http://127.0.0.1:${port}`;
  let next = 0;
  // Each message is different, like Steward's: otherwise the load generator would need half the work for the floor.
  const messageWith = (filler: string): string => {
    const [data] = activities('floor', next++, 1);
    return JSON.stringify({ event: 'comment.add', data, filler });
  };
  const filler = 'x'.repeat(bodyBytes - messageWith('').length);
  await whenListening(`${url}/raw?0`, signal);
  return {
    pid: program.pid,
    messages: { url: `${url}/messages`, headers: {}, body: () => messageWith(filler) },
    async raw(messages) {
      const began = performance.now();
      await fetch(`${url}/raw?${String(messages)}`, { method: 'POST', body: messageWith(filler) });
      return (messages * 1_000) / (performance.now() - began);
    },
    stop: () => program.stop(),
  };
}
