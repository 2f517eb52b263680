import { Counter, type Registry } from 'prom-client';
import type { AttemptOutcome } from '../domain/webhooks/delivery/send.ts';

/** `no_key` is a customer's configuration: the provider was not called. */
const aiCallOutcomes = ['succeeded', 'failed', 'retried', 'no_key'] as const;
export type AiCallOutcome = (typeof aiCallOutcomes)[number];

/** Counts the calls of a worker process to servers of customers and to AI providers. */
export class EffectMetrics {
  readonly #attempts: Counter<'outcome'>;
  readonly #aiCalls: Counter<'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'steward_webhook_attempts_total',
      help: 'Attempts to deliver a message: delivered, rejected by the status of a response, or without a response.',
      labelNames: ['outcome'],
      registers,
    });
    this.#aiCalls = new Counter({
      name: 'steward_ai_calls_total',
      help: 'Calls to AI providers: succeeded, failed, to be retried, or not made because the key has no API key of the provider.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['delivered', 'rejected', 'no_response']) this.#attempts.inc({ outcome }, 0);
    for (const outcome of aiCallOutcomes) this.#aiCalls.inc({ outcome }, 0);
  }

  attempted({ error, httpStatus }: Pick<AttemptOutcome, 'error' | 'httpStatus'>): void {
    const outcome = error === null ? 'delivered' : httpStatus === null ? 'no_response' : 'rejected';
    this.#attempts.inc({ outcome });
  }

  calledAi(outcome: AiCallOutcome): void {
    this.#aiCalls.inc({ outcome });
  }
}
