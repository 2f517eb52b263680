import { Counter, type Registry } from 'prom-client';
import type { RecordedOutcome } from '../domain/deliveries/record-outcomes.ts';
import type { EndedNotice } from '../domain/deliveries/write-deliveries.ts';
import { sentChannels, type SentChannel } from '../domain/notices/channels.ts';
import type { FinalStatus } from '../domain/notices/statuses.ts';
import type { AttemptOutcome } from '../domain/webhooks/delivery/send.ts';

/** `no_key` is a customer's configuration: the provider was not called. */
const aiCallOutcomes = ['succeeded', 'failed', 'retried', 'no_key'] as const;
export type AiCallOutcome = (typeof aiCallOutcomes)[number];

const attemptOutcomes = ['delivered', 'rejected', 'no_response'] as const;

type DeliveryOutcome = FinalStatus | 'again';

/** Outcomes of sending. The other final statuses come from a provider's report. */
const sendingOutcomes = ['sent', 'skipped', 'failed', 'again'] as const satisfies readonly DeliveryOutcome[];

/** Counts the calls of a worker process to servers of customers and to AI providers. */
export class EffectMetrics {
  readonly #attempts: Counter<'outcome'>;
  readonly #aiCalls: Counter<'outcome'>;
  readonly #deliveries: Counter<'kind' | 'outcome'>;
  readonly #unknown: Counter<'kind'>;

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
    this.#deliveries = new Counter({
      name: 'steward_deliveries_total',
      help: 'Outcomes of deliveries of notifications: sent, skipped by a rule, failed, or to be sent again.',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#unknown = new Counter({
      name: 'steward_delivery_unknown_total',
      help: 'Attempts to send a notification that may have succeeded without a record: the message may be sent twice.',
      labelNames: ['kind'],
      registers,
    });
    for (const kind of sentChannels) {
      this.#unknown.inc({ kind }, 0);
      for (const outcome of sendingOutcomes) this.#deliveries.inc({ kind, outcome }, 0);
    }
    for (const outcome of attemptOutcomes) this.#attempts.inc({ outcome }, 0);
    for (const outcome of aiCallOutcomes) this.#aiCalls.inc({ outcome }, 0);
  }

  attempted({ error, httpStatus }: Pick<AttemptOutcome, 'error' | 'httpStatus'>): void {
    const outcome: (typeof attemptOutcomes)[number] =
      error === null ? 'delivered' : httpStatus === null ? 'no_response' : 'rejected';
    this.#attempts.inc({ outcome });
  }

  /** Counts the outcome of a delivery, and separately an attempt that may have sent the message. */
  sentNotice(channel: SentChannel, recorded: RecordedOutcome): void {
    if (recorded.kind === 'removed') return;
    const outcome: DeliveryOutcome = recorded.kind === 'waits' ? 'again' : recorded.status;
    this.#deliveries.inc({ kind: channel, outcome });
    if (
      recorded.attempts.length === recorded.delivery.attempts.length &&
      recorded.attempts.at(-1)?.outcome === 'unknown'
    )
      this.unknownDelivery(channel);
  }

  /** Counts notices that ended without a delivery. They are logged as deliveries. */
  endedNotices(channel: SentChannel, ended: readonly Pick<EndedNotice, 'status'>[]): void {
    for (const { status } of ended) this.#deliveries.inc({ kind: channel, outcome: status });
  }

  /** Counts a claim that lapsed: its attempt may have sent the message. */
  unknownDelivery(channel: SentChannel): void {
    this.#unknown.inc({ kind: channel });
  }

  calledAi(outcome: AiCallOutcome): void {
    this.#aiCalls.inc({ outcome });
  }
}
