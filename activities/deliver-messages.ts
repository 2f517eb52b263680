import { deliverDue } from '../domain/webhooks/delivery/delivery-turn.ts';
import { findKey } from '../domain/workspaces/find-key.ts';
import { PayloadRoom } from '../domain/webhooks/delivery/payload-room.ts';
import type { AttemptOutcome } from '../domain/webhooks/delivery/send.ts';
import { SendingShares } from '../domain/webhooks/delivery/sending-share.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { lazily } from '../platform/process/single-flight.ts';
import type { DeliveryInput, DeliveryStep, FormerKeyInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { logRestore, noticeRestore } from './notice-restore.ts';
import { unlessStopped } from './unless-stopped.ts';
import { withHeartbeats } from './with-heartbeats.ts';

type FormerDeliveryInput = Omit<DeliveryInput, 'keyId'> & FormerKeyInput;

/**
 * Sends an endpoint its due messages for up to 25 s. May be repeated and run concurrently: a message is claimed before
 * it is sent. If a crash prevents its record, it is sent again under the same id. When the process stops, requests to
 * slow servers continue after the activity has returned, so that another worker sends the other messages, unless the
 * endpoint gets one request at a time.
 */
export const deliverMessages = ({
  orm,
  keyRing,
  outbound,
  webhooks,
  webhookRetryDelaysMs,
  webhookEndpointConcurrency,
  stopping,
  leave,
  logger,
  metrics,
  tracing,
}: Dependencies) => {
  // Begins a new epoch after a restore of the database.
  const noticeRestoreOnce = lazily(async () => noticeRestore({ orm, logger }));
  const repeating = limitRepeats(logger);
  const shares = new SendingShares(webhookEndpointConcurrency);
  const payloads = new PayloadRoom();
  const onUnexpectedError = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const onRestore = (epoch: string): void => logRestore(logger, epoch);
  const onAttempt = (outcome: AttemptOutcome): void => metrics.attempted(outcome);
  return async (input: DeliveryInput | FormerDeliveryInput): Promise<DeliveryStep> => {
    const stopped = stopping();
    return withHeartbeats(stopped, async (signal) =>
      shares.serve(async (share) => {
        // Before the first message is sent.
        await noticeRestoreOnce();
        const key = await findKey(orm.em.fork(), input);
        if (key === undefined) return {};
        const { endpointId } = input;
        const attemptContext = { outbound, webhooks, tracing, onUnexpectedError, onAttempt };
        const turn = deliverDue(
          {
            orm,
            keyRing,
            attemptContext,
            retryDelaysMs: webhookRetryDelaysMs,
            share,
            payloads,
            signal,
            onRestore,
          },
          { tenantId: key.tenantId, endpointId },
        );
        // With one request at a time, another worker must not send the next message meanwhile.
        const ended = webhookEndpointConcurrency === 1 ? await turn : await unlessStopped(stopped, turn);
        if (ended === undefined) {
          leave(turn);
          return { nextIn: 0 };
        }
        const { nextIn, attempted, delivered } = ended;
        if (attempted > 0 && delivered === 0)
          repeating.warn(
            { keyId: key.keyId, endpointId, attempted },
            'webhook delivery turn failed',
            key.keyId,
          );
        return { ...(nextIn !== undefined && { nextIn }), attempted, delivered };
      }),
    );
  };
};
