import { z } from 'zod';
import { channelNumbers, providerNumbers } from '../../domain/notices/channels.ts';
import { stateNumbers } from '../../domain/notices/delivery-filter.ts';
import type { DeliveryRow } from '../../domain/notices/read-deliveries.ts';
import { deliveryStatuses, heldReasons, reasonNumbers } from '../../domain/notices/statuses.ts';
import { nameOfNumber } from '../../domain/name-of-number.ts';
import { namesOf } from '../../domain/names-of.ts';
import { customerId, milliseconds } from '../schemas.ts';

export const deliveryChannel = z.enum(namesOf(channelNumbers)).describe('Channel of the message.');

export const deliveryStatus = z
  .enum(deliveryStatuses)
  .describe(
    '`queued`, `sending` and `held` are not final. `sent`: the provider accepted the message; it may ' +
      'later be `delivered`, `bounced` or `complained`. `skipped`: a rule stopped it. `failed`: it cannot ' +
      'be sent.',
  )
  .meta({ id: 'DeliveryStatus' });

const attempt = z
  .strictObject({
    number: z.int().min(1).describe('Number of the attempt, from 1.'),
    at: milliseconds.describe('Start of the attempt, in milliseconds since the epoch.'),
    outcome: z
      .enum(['accepted', 'refused', 'unknown', 'failed'])
      .describe(
        '`unknown`: the provider may have accepted the message, so it is sent again. `failed`: a later ' +
          'attempt may succeed.',
      ),
    code: z
      .string()
      .nullable()
      .describe(
        'SMTP enhanced status or reply, HTTP status, error of Slack, or the failure of the connection, ' +
          'such as `ETIMEDOUT`. ' +
          '`unprepared`, `address-unsupported` and `too-large` are Steward’s own. ' +
          'Null for an attempt whose result was not recorded.',
      ),
    durationMs: z.number().min(0).describe('Duration in milliseconds.'),
  })
  .meta({ id: 'DeliveryAttempt' });

const moment = (event: string) =>
  milliseconds.nullable().describe(`${event}, in milliseconds since the epoch.`);

export const deliveryResponse = z
  .strictObject({
    deliveryId: z
      .string()
      .describe('Id of the delivery, also in the header `X-Steward-Delivery` of e-mails.'),
    organizationId: customerId.describe('Id of the organization.'),
    userId: customerId.describe('Id of the recipient.'),
    channel: deliveryChannel,
    provider: z
      .enum(namesOf(providerNumbers))
      .nullable()
      .describe(
        'Provider that sent the message, or refused it at last. Null until the delivery has ended, and ' +
          'when it ended otherwise.',
      ),
    status: deliveryStatus,
    reason: z
      .enum([...namesOf(reasonNumbers), ...namesOf(heldReasons)])
      .nullable()
      .describe('Why the delivery is held, was skipped or failed; null otherwise.'),
    digest: z.boolean().describe('Whether the message has several notifications.'),
    notificationIds: z.array(customerId).max(50).describe('Ids of its notifications that exist, max 50.'),
    documentIds: z.array(customerId).max(50).describe('Ids of the documents of those notifications, max 50.'),
    createdAt: milliseconds.describe('Creation of the delivery, in milliseconds since the epoch.'),
    sentAt: moment('When the provider accepted the message'),
    endedAt: moment('When the delivery ended'),
    nextAttemptAt: moment('When the next attempt is due'),
    messageId: z
      .string()
      .nullable()
      .describe(
        'Message-ID of an e-mail by SMTP, the id at SendGrid or Slack otherwise; null before it was accepted.',
      ),
    attempts: z.array(attempt).describe('Attempts, oldest first.'),
  })
  .meta({ id: 'NotificationDelivery' });

/** The view of a row of `readDeliveries` that fits its page. */
export const deliveryView =
  (organizationId: string) =>
  (row: DeliveryRow): z.input<typeof deliveryResponse> => {
    const { channel, provider, state, reason, held_reason: held, attempts, items } = row;
    const accepted = attempts.findLast(({ outcome }) => outcome === 'accepted');
    return {
      deliveryId: row.public_id,
      organizationId,
      userId: row.user_ext_id ?? '',
      channel: nameOfNumber(channelNumbers, channel),
      provider: provider === null ? null : nameOfNumber(providerNumbers, provider),
      status: nameOfNumber(stateNumbers, state),
      reason:
        held !== null
          ? nameOfNumber(heldReasons, held)
          : reason === null
            ? null
            : nameOfNumber(reasonNumbers, reason),
      digest: row.digest,
      notificationIds: items?.notificationIds ?? [],
      documentIds: items?.documentIds ?? [],
      createdAt: row.created_ms,
      sentAt: accepted === undefined ? null : accepted.at + accepted.durationMs,
      endedAt: row.ended_ms,
      nextAttemptAt: row.next_ms,
      messageId: row.provider_ref,
      attempts: [...attempts],
    };
  };
