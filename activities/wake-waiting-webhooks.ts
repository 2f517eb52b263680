import { endpointsWithOldMessages, keysWithOldEvents } from '../domain/webhooks/delivery/find-waiting.ts';
import { keysWithDueEvents } from '../domain/webhooks/delivery/poison-events.ts';
import { servedKinds } from '../domain/webhooks/provider.ts';
import { deliveryStartOf, dispatchStartOf } from '../workflows/starts.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Signals the webhook workflows of keys and endpoints whose earlier signal was lost. May be repeated: a running workflow
 * checks for work once more.
 */
export const wakeWaitingWebhooks =
  ({ orm, webhooks, wakes }: Dependencies) =>
  async (_input: object): Promise<void> => {
    const keys = [...(await keysWithOldEvents(orm.em.fork())), ...(await keysWithDueEvents(orm.em.fork()))];
    for (const keyId of keys) wakes.wake(dispatchStartOf({ keyId }));
    const endpoints = await endpointsWithOldMessages(orm.em.fork(), servedKinds(webhooks.name));
    for (const endpoint of endpoints) wakes.wake(deliveryStartOf(endpoint));
    await recordSweepStep(orm.em.fork(), 'wake_waiting_webhooks');
  };
