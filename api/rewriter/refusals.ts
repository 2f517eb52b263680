import type { DomainError } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import { TransportError } from '../http/response/transport-error.ts';

/** Whether a signal aborted after its time. */
export const isTimeOut = ({ reason }: AbortSignal): boolean =>
  typeof reason === 'object' && (reason as Error | null)?.name === 'TimeoutError';

export const temporalUnavailable = (): DomainError =>
  new TransportError('UNAVAILABLE', messages.unavailable, {
    headers: { 'Retry-After': '1' },
    refusal: 'temporal',
  });

export const tooMany = (): DomainError =>
  new TransportError('RESOURCE_EXHAUSTED', messages.tooManyAiCalls, {
    headers: { 'Retry-After': '1' },
    refusal: 'ai_calls',
  });
