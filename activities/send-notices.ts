import { sendDue } from '../domain/deliveries/send-turn.ts';
import { outboxes } from '../domain/deliveries/open-outbox.ts';
import { ReaderPace } from '../domain/deliveries/slack-outbox.ts';
import { Pace } from '../domain/deliveries/pace.ts';
import { PermissionProvider } from '../domain/permissions/provider/permission-provider.ts';
import type { SendStep, SendTurn } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Sends what is due on a channel of a key for up to 25 s. May be repeated and run concurrently: a delivery is claimed before
 * it is sent. One that was sent but not recorded, because the process crashed, is sent again when its claim has expired.
 */
export const sendNotices = (dependencies: Dependencies) => {
  const { orm, keyRing, logger, metrics, stopping, sending } = dependencies;
  const permissionProvider = new PermissionProvider({
    orm,
    keyRing,
    allowedNetworks: dependencies.outboundAllowedNetworks,
    paused: dependencies.paused.has('deliveries'),
    onFailure: ({ keyId, reason }) => logger.warn({ keyId, reason }, 'permission provider failed'),
  });
  const pace = new Pace(sending.messaging.emailsPerSecond);
  const openOutbox = outboxes({ ...sending, orm, keyRing, pace: new ReaderPace() });
  return async ({ tenantId: keyId, channel, now }: SendTurn): Promise<SendStep> =>
    withHeartbeats(stopping, async (signal) => {
      const { nextIn, counts } = await sendDue(
        {
          orm,
          keyRing,
          clock: sending.clock,
          permissionProvider,
          openOutbox,
          schedule: sending.messaging.retrySchedule,
          pace,
          signal,
          onOutcome: (outcome) => metrics.sentNotice(channel, outcome),
          onUnknown: () => metrics.unknownDelivery(channel),
        },
        { keyId, channel, now },
      );
      return { ...(nextIn !== undefined && { nextIn }), counts };
    });
};
