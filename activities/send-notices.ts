import { setTimeout as pause } from 'node:timers/promises';
import { sendDue } from '../domain/deliveries/send-turn.ts';
import { messageSecrets } from '../domain/deliveries/message-secrets.ts';
import { transports } from '../domain/deliveries/open-transport.ts';
import { readerPaceMs, ReaderPace } from '../domain/deliveries/slack-transport.ts';
import type { SendStep, SendTurn } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Sends due notifications on a channel of a key. Attempts begin for up to 25 s, or 45 s while a permission provider does
 * not respond, and take up to 30 s each. May be repeated and run concurrently: a delivery is claimed before it is sent.
 * If the process crashes between sending and recording, the delivery is sent again when its claim has expired.
 */
export const sendNotices = (dependencies: Dependencies) => {
  const { orm, keyRing, permissionProvider, metrics, stopping, sending } = dependencies;
  const secrets = messageSecrets({ orm, keyRing });
  const openTransport = transports({
    ...sending,
    orm,
    keyRing,
    messageSecrets: secrets,
    pace: new ReaderPace(),
  });
  return async ({ tenantId: keyId, channel, now }: SendTurn): Promise<SendStep> =>
    withHeartbeats(stopping(), async (signal) => {
      const { nextIn, counts } = await sendDue(
        {
          orm,
          messageSecrets: secrets,
          clock: sending.clock,
          permissionProvider,
          openTransport,
          retryDelaysMs: sending.messaging.retryDelaysMs,
          emailsPerSecond: sending.messaging.emailsPerSecond,
          signal,
          onOutcome: (outcome) => metrics.sentNotice(channel, outcome),
          onEnded: (notices) => metrics.endedNotices(channel, notices),
          onUnknown: () => metrics.unknownDelivery(channel),
        },
        { keyId, channel, now },
      );
      // The next turn may run in another process, which has its own `ReaderPace`.
      if (channel === 'slack' && counts.sent > 0) await pause(readerPaceMs);
      return { ...(nextIn !== undefined && { nextIn }), counts };
    });
};
