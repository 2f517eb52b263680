import {
  MessageAttemptTriggerType,
  MessageStatus as SvixStatus,
  type EndpointMessageOut,
  type EndpointOut,
  type MessageAttemptOut,
} from 'svix';
import type { MessageStatus } from '../delivery/message.ts';
import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from '../provider.ts';
import { typeOfSvix } from './event-types.ts';

/** Same limit as for responses that the embedded provider stores. */
const maxResponseBytes = 1_024;

export const svixEndpointView = (endpoint: EndpointOut): WebhookEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description === '' ? null : endpoint.description,
  filterTypes: endpoint.eventTypes?.map(typeOfSvix) ?? null,
  channels: endpoint.channels ?? null,
  disabled: endpoint.disabled ?? false,
  disabledReason: null,
  rateLimit: endpoint.throttleRate ?? null,
  uid: endpoint.uid ?? null,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

/** Maps Svix's message statuses. */
export const statusOfSvix: Readonly<Record<SvixStatus, MessageStatus>> = {
  [SvixStatus.Success]: 'succeeded',
  [SvixStatus.Pending]: 'pending',
  [SvixStatus.Sending]: 'pending',
  [SvixStatus.Fail]: 'failed',
  [SvixStatus.Canceled]: 'cancelled',
};

export const statusForSvix: Readonly<Record<MessageStatus, SvixStatus>> = {
  succeeded: SvixStatus.Success,
  pending: SvixStatus.Pending,
  failed: SvixStatus.Fail,
  cancelled: SvixStatus.Canceled,
};

export const attemptView = (attempt: MessageAttemptOut, eventType?: string): WebhookAttempt => {
  const succeeded = attempt.status === SvixStatus.Success;
  const responded = attempt.responseStatusCode > 0;
  return {
    id: attempt.id,
    messageId: attempt.msgId,
    endpointId: attempt.endpointId,
    eventType: eventType ?? typeOfSvix(attempt.msg?.eventType ?? ''),
    attemptNumber: null,
    status: succeeded ? 'succeeded' : 'failed',
    responseStatusCode: responded ? attempt.responseStatusCode : null,
    response: Buffer.from(attempt.response, 'utf8')
      .subarray(0, maxResponseBytes)
      .toString('utf8')
      .toWellFormed(),
    error: succeeded || responded ? null : 'The endpoint did not respond.',
    durationMs: Math.max(0, Math.round(attempt.responseDurationMs)),
    timestamp: attempt.timestamp.getTime(),
    trigger: attempt.triggerType === MessageAttemptTriggerType.Manual ? 'manual' : 'scheduled',
  };
};

export const messageView = (message: EndpointMessageOut): WebhookMessage => ({
  id: message.id,
  eventType: typeOfSvix(message.eventType),
  status: statusOfSvix[message.status],
  statusReason: null,
  attempts: null,
  nextAttemptAt: message.nextAttempt?.getTime() ?? null,
  channels: message.channels ?? [],
  payload: message.payload as unknown,
  timestamp: message.timestamp.getTime(),
});
