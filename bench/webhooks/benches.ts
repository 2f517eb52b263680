import type { Figure } from '../figure.ts';
import type { Bench, Run } from '../run.ts';
import type { Site } from '../site.ts';
import { measureStoredBytes } from '../stored-bytes.ts';
import { measureFanOut } from './fan-out.ts';
import { measureHeldSnapshot } from './held-snapshot.ts';
import { measureLatency } from './latency.ts';
import { measureLosses } from './losses.ts';
import { measureManyEndpoints } from './many-endpoints.ts';
import { measureManyKeys } from './many-keys.ts';
import { measureOutage } from './outage.ts';
import { startReceiver, type Receiving } from './receiving.ts';
import { measureThroughput } from './throughput.ts';
import { measureWritePath } from './write-path.ts';

const withReceiver =
  (what: string, measure: (site: Site, run: Run, receiver: Receiving) => Promise<Figure[]>): Bench =>
  async (site, run) => {
    run.show(`Webhooks: ${what} …`);
    const receiver = await startReceiver(site, run.signal);
    try {
      return await measure(site, run, receiver);
    } finally {
      await receiver.stop();
    }
  };

/** The benches of webhooks, from the call that causes an event to the receiver. Kills come last. */
export const webhookBenches = {
  'webhooks-latency': withReceiver('from commit to arrival', measureLatency),
  'webhooks-throughput': withReceiver('events a second', measureThroughput),
  'webhooks-endpoints': withReceiver('many endpoints', measureManyEndpoints),
  'webhooks-fan-out': withReceiver('messages of one key', measureFanOut),
  'webhooks-keys': withReceiver('many keys', measureManyKeys),
  'webhooks-snapshot': withReceiver('a held snapshot', measureHeldSnapshot),
  'webhooks-writes': withReceiver('what they cost a write', measureWritePath),
  'webhooks-outage': withReceiver('an outage', measureOutage),
  'stored-bytes': withReceiver('bytes that PostgreSQL stores', measureStoredBytes),
  'webhooks-losses': withReceiver('kills', measureLosses),
} as const satisfies Readonly<Record<string, Bench>>;
