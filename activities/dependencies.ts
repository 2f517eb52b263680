import type { Configuration, Paused } from '../platform/config/configuration.ts';
import type { Messaging } from '../platform/config/messaging.ts';
import type { Clock } from '../domain/deliveries/clock.ts';
import type { Senders } from '../domain/deliveries/senders.ts';
import type { Outbound } from '../platform/outbound/outbound-connections.ts';
import type { Wake, Wakes } from '../platform/temporal/wakes.ts';
import type { WorkflowToStart } from '../platform/temporal/temporal-client.ts';
import type { WebhookProvider } from '../domain/webhooks/provider.ts';
import type { DeletionJournal } from '../domain/deletion/journal/deletion-journal.ts';
import type { KeyRing } from '../platform/encryption/key-ring.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { EffectMetrics } from './effect-metrics.ts';

/** What the senders of notifications work with. */
export interface Sending {
  readonly senders: Senders;
  readonly messaging: Messaging;
  readonly clock: Clock;
}

/** Dependencies of activities; the worker provides them. */
export interface Dependencies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  /** Issuer of receipts. */
  readonly publicUrl: string;
  /** Undefined where none is configured. */
  readonly journal: DeletionJournal | undefined;
  readonly logger: Logger;
  readonly metrics: EffectMetrics;
  /** Undefined where tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Base URLs of AI providers; undefined is a provider's own. */
  readonly providerBaseUrls: Configuration['providerBaseUrls'];
  readonly webhooks: WebhookProvider;
  /** Private CIDRs that outgoing connections may reach. */
  readonly outboundAllowedNetworks: readonly string[];
  /** Connections that pass the SSRF guard. */
  readonly outbound: Outbound;
  /** Milliseconds before each attempt to deliver a message. */
  readonly webhookRetryDelaysMs: readonly number[];
  /** Retention of events, messages and attempts. */
  readonly webhookRetentionDays: number;
  /** Max requests in flight per endpoint. */
  readonly webhookEndpointConcurrency: number;
  /** How notifications leave on e-mail and Slack. */
  readonly sending: Sending;
  /** Signals workflows in the background; no call waits for it. */
  readonly wakes: Pick<Wakes, 'wake'>;
  /** Work that this process leaves undone. */
  readonly paused: Paused;
  /** Aborted when the process stops: turns claim no further work. */
  readonly stopping: AbortSignal;
  /** Takes work that goes on after its activity has returned: the process ends after it. */
  readonly leave: (work: Promise<unknown>) => void;
  /** Starting a running workflow is a success. */
  readonly startWorkflow: (workflow: WorkflowToStart) => Promise<void>;
  /** Signals a workflow, and starts it if it does not run. */
  readonly wakeWorkflow: Wake;
}
