import { dispatchDue } from '../domain/webhooks/delivery/dispatch-turn.ts';
import { servedKinds } from '../domain/webhooks/provider.ts';
import { findKeyIds } from '../domain/workspaces/key-ids.ts';
import type { DispatchInput, FormerKeyInput } from '../workflows/contract.ts';
import { deliveryStartOf } from '../workflows/starts.ts';
import type { Dependencies } from './dependencies.ts';
import { inTurn } from './in-turn.ts';

/**
 * Makes messages of the events of a key for a turn. May be repeated, also beside itself: an event is taken by deleting its
 * outbox row in the transaction that makes its messages.
 */
export const dispatchEvents =
  ({ orm, webhooks, webhookRetrySchedule, wakes, stopping }: Dependencies) =>
  async (input: DispatchInput | FormerKeyInput): Promise<{ readonly finished: boolean }> =>
    inTurn(stopping, async (signal) => {
      const key = await findKeyIds(orm.em.fork(), input);
      if (key === undefined) return { finished: true };
      const { tenantId, keyId } = key;
      return dispatchDue(
        {
          orm,
          kinds: servedKinds(webhooks.name),
          firstWait: webhookRetrySchedule[0] ?? 0,
          wake: (endpointId) => wakes.wake(deliveryStartOf({ keyId, endpointId })),
          signal,
        },
        tenantId,
      );
    });
