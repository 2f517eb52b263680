import { deliverDue } from '../domain/webhooks/delivery/delivery-turn.ts';
import { findKeyIds } from '../domain/workspaces/key-ids.ts';
import { SendingShares } from '../domain/webhooks/delivery/sending-share.ts';
import type { DeliveryInput, DeliveryStep, FormerKeyInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { inTurn } from './in-turn.ts';

type FormerDeliveryInput = Omit<DeliveryInput, 'keyId'> & FormerKeyInput;

/**
 * Sends an endpoint what is due for a turn. May be repeated, also beside itself: a message is claimed before it is sent.
 * One that was sent and not recorded, because the process died, is sent again under the same id when its claim has ended.
 */
export const deliverMessages = ({
  orm,
  keyRing,
  outbound,
  webhooks,
  webhookRetrySchedule,
  stopping,
  logger,
}: Dependencies) => {
  const shares = new SendingShares();
  const onBug = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  return async (input: DeliveryInput | FormerDeliveryInput): Promise<DeliveryStep> =>
    inTurn(stopping, async (signal) =>
      shares.serve(async (share) => {
        const key = await findKeyIds(orm.em.fork(), input);
        if (key === undefined) return {};
        const { endpointId } = input;
        const senders = { outbound, webhooks, onBug };
        const { nextIn, attempted, delivered } = await deliverDue(
          { orm, keyRing, senders, schedule: webhookRetrySchedule, share, signal },
          { tenantId: key.tenantId, endpointId },
        );
        if (attempted > 0 && delivered === 0)
          logger.warn({ keyId: key.keyId, endpointId, attempted }, 'webhook delivery turn failed');
        return { ...(nextIn !== undefined && { nextIn }), attempted, delivered };
      }),
    );
};
