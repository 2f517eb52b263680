import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { choosePort } from '../../local/ports.ts';
import { startScript } from '../process.ts';
import type { Site } from '../site.ts';
import { whenListening } from '../site.ts';

/** A request that the receiver got. */
export interface Arrival {
  /** `webhook-id`. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Id of the record that the event reports. */
  readonly record?: string;
}

export interface Counted {
  /** Distinct ids, counted per path. */
  readonly distinct: number;
  readonly arrivals: number;
  readonly last: number | null;
  /** Size of the last body. */
  readonly bytes: number;
}

/** A receiver of webhooks in a process of its own. */
export interface Receiving {
  readonly url: string;
  count(): Promise<Counted>;
  arrivals(): Promise<readonly Arrival[]>;
  /** Commands the receiver: forget the arrivals, refuse with 503, accept, stop or resume listening. */
  command(what: 'forget' | 'refuse' | 'accept' | 'down' | 'up'): Promise<void>;
  /** Waits until `distinct` ids have arrived, at most `seconds`. Returns the arrivals until then. */
  until(distinct: number, seconds: number, signal: AbortSignal): Promise<Counted>;
  stop(): Promise<void>;
}

const betweenLooks = 20;

export async function startReceiver(site: Site, signal: AbortSignal): Promise<Receiving> {
  const [port, controlPort] = [await choosePort(undefined), await choosePort(undefined)];
  const ports = { PORT: String(port), CONTROL_PORT: String(controlPort) };
  const log = join(site.folder, 'receiver.log');
  const program = await startScript('bench/webhooks/receiver.ts', ports, log);
  const control = `http://127.0.0.1:${ports.CONTROL_PORT}`;
  await whenListening(control, signal);
  const read = async <Response>(what: string): Promise<Response> =>
    (await (await fetch(`${control}/${what}`)).json()) as Response;
  const count = async (): Promise<Counted> => read('count');
  return {
    url: `http://127.0.0.1:${ports.PORT}`,
    count,
    arrivals: () => read('arrivals'),
    command: async (what) => void (await read(what)),
    async until(distinct, seconds, signal) {
      const end = performance.now() + seconds * 1_000;
      for (;;) {
        const counted = await count();
        signal.throwIfAborted();
        if (counted.distinct >= distinct || performance.now() >= end) return counted;
        await pause(betweenLooks);
      }
    },
    stop: () => program.stop(),
  };
}
