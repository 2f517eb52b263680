import {
  MessageAttemptTriggerType,
  MessageStatus as SvixStatus,
  type EndpointMessageOut,
  type EndpointOut,
  type MessageAttemptOut,
} from 'svix';
import type { MessageStatus } from '../delivery/message.ts';
import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from '../provider.ts';

/** Bytes of an answer that are shown, as of those that Steward itself keeps. */
const shownResponse = 1_024;

export const endpointView = (endpoint: EndpointOut): WebhookEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description === '' ? null : endpoint.description,
  filterTypes: endpoint.eventTypes ?? null,
  channels: endpoint.channels ?? null,
  disabled: endpoint.disabled ?? false,
  disabledReason: null,
  rateLimit: endpoint.throttleRate ?? null,
  uid: endpoint.uid ?? null,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

/** Svix's own words for the states of a message; those that have no counterpart here are on their way. */
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
  const answered = attempt.responseStatusCode > 0;
  return {
    id: attempt.id,
    messageId: attempt.msgId,
    endpointId: attempt.endpointId,
    eventType: attempt.msg?.eventType ?? eventType ?? '',
    attemptNumber: null,
    status: succeeded ? 'succeeded' : 'failed',
    responseStatusCode: answered ? attempt.responseStatusCode : null,
    response: Buffer.from(attempt.response, 'utf8')
      .subarray(0, shownResponse)
      .toString('utf8')
      .toWellFormed(),
    error: succeeded || answered ? null : 'There was no answer.',
    durationMs: Math.max(0, Math.round(attempt.responseDurationMs)),
    timestamp: attempt.timestamp.getTime(),
    trigger: attempt.triggerType === MessageAttemptTriggerType.Manual ? 'manual' : 'scheduled',
  };
};

export const messageView = (message: EndpointMessageOut): WebhookMessage => ({
  id: message.id,
  eventType: message.eventType,
  status: statusOfSvix[message.status],
  statusReason: null,
  attempts: null,
  nextAttemptAt: message.nextAttempt?.getTime() ?? null,
  channels: message.channels ?? [],
  payload: message.payload as unknown,
  timestamp: message.timestamp.getTime(),
});
