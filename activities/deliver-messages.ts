import { deliverDue } from '../domain/webhooks/delivery/delivery-turn.ts';
import { SendingShares } from '../domain/webhooks/delivery/sending-share.ts';
import type { DeliveryInput, DeliveryStep } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { inTurn } from './in-turn.ts';

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
  const onBug = (error: unknown): void => logger.error({ err: error }, 'a bug');
  return async (endpoint: DeliveryInput): Promise<DeliveryStep> =>
    inTurn(stopping, async (signal) =>
      shares.serve(async (share) => {
        const senders = { outbound, webhooks, onBug };
        const { nextIn } = await deliverDue(
          { orm, keyRing, senders, schedule: webhookRetrySchedule, share, signal },
          endpoint,
        );
        return nextIn === undefined ? {} : { nextIn };
      }),
    );
};
