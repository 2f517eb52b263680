import { dispatchDue } from '../domain/webhooks/delivery/dispatch-turn.ts';
import { servedKinds } from '../domain/webhooks/provider.ts';
import { findKey } from '../domain/workspaces/find-key.ts';
import type { DispatchInput, FormerKeyInput } from '../workflows/contract.ts';
import { deliveryStartOf } from '../workflows/starts.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Creates messages from the events of a key for up to 30 s. May be repeated and run concurrently: the transaction that
 * creates an event's messages deletes its outbox row.
 */
export const dispatchEvents =
  ({ orm, webhooks, webhookRetryDelaysMs, wakes, stopping, logger }: Dependencies) =>
  async (input: DispatchInput | FormerKeyInput): Promise<{ readonly finished: boolean }> =>
    withHeartbeats(stopping(), async (signal) => {
      const key = await findKey(orm.em.fork(), input);
      if (key === undefined) return { finished: true };
      const { tenantId, keyId } = key;
      return dispatchDue(
        {
          orm,
          kinds: servedKinds(webhooks.name),
          firstWaitMs: webhookRetryDelaysMs[0] ?? 0,
          wake: (endpointId) => wakes.wake(deliveryStartOf({ keyId, endpointId })),
          onSetAside: ({ eventId, reason }) => logger.error({ keyId, eventId, reason }, 'poison event'),
          signal,
        },
        tenantId,
      );
    });
