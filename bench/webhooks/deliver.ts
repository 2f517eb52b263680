import type { Figure } from '../figure.ts';
import type { Bench } from '../run.ts';
import { startFloor } from './floors.ts';
import { measureLatency } from './latency.ts';
import { measureLosses } from './losses.ts';
import { measureManyEndpoints } from './many-endpoints.ts';
import { measureOutage } from './outage.ts';
import { startReceiver } from './receiving.ts';
import { measureThroughput } from './throughput.ts';
import { measureWritePath } from './write-path.ts';

/** Webhooks from the call that causes an event to the receiver; kills come last. */
export const deliverWebhooks: Bench = async (site, run) => {
  const receiver = await startReceiver(site, run.signal);
  const floor = await startFloor(site, receiver.url, run.signal);
  const figures: Figure[] = [];
  const measure = async (what: string, measuring: () => Promise<Figure[]>): Promise<void> => {
    run.show(`Webhooks: ${what} …`);
    figures.push(...(await measuring()));
  };
  try {
    await measure('latency', () => measureLatency(site, run, receiver));
    await measure('throughput', () => measureThroughput(site, run, { receiver, floor }));
    await measure('many endpoints', () => measureManyEndpoints(site, run, receiver));
    await measure('the write path', () => measureWritePath(site, run, receiver));
    await measure('an outage', () => measureOutage(site, run, receiver));
    await measure('losses', () => measureLosses(site, run, receiver));
  } finally {
    await floor.stop();
    await receiver.stop();
  }
  return figures;
};
