import type { Configuration, Paused } from '../platform/config/configuration.ts';
import type { Messaging } from '../platform/config/messaging.ts';
import type { Clock } from '../domain/deliveries/clock.ts';
import type { Senders } from '../domain/deliveries/senders.ts';
import type { Outbound } from '../platform/outbound/outbound-connections.ts';
import type { Wake, Wakes } from '../platform/temporal/wakes.ts';
import type { WorkflowToStart } from '../platform/temporal/workflow-to-start.ts';
import type { WebhookProvider } from '../domain/webhooks/provider.ts';
import type { DeletionJournal } from '../domain/deletion/journal/deletion-journal.ts';
import type { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import type { PermissionProvider } from '../domain/permissions/provider/permission-provider.ts';
import type { KeyRing } from '../platform/encryption/key-ring.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import type { EffectMetrics } from './effect-metrics.ts';

/** Dependencies of the activities that send notifications. */
export interface NoticeSending {
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
  /** Undefined when none is configured. */
  readonly journal: DeletionJournal | undefined;
  /** Open unless the database may contain users whose deletion had completed. */
  readonly gate: Pick<RestoreGate, 'isOpen'>;
  readonly logger: Logger;
  readonly metrics: EffectMetrics;
  /** Undefined while tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Base URLs of AI providers; undefined is a provider's own. */
  readonly providerBaseUrls: Configuration['providerBaseUrls'];
  /** The only one of the process: its limits apply to all activities together. */
  readonly permissionProvider: PermissionProvider;
  readonly webhooks: WebhookProvider;
  /** Private CIDRs that outgoing connections may reach. */
  readonly outboundAllowedNetworks: readonly string[];
  /** Connections that pass the SSRF guard. */
  readonly outbound: Outbound;
  /** Delays in milliseconds before each attempt to deliver a message. */
  readonly webhookRetryDelaysMs: readonly number[];
  /** Days for which events, messages and attempts are kept. */
  readonly webhookRetentionDays: number;
  /** Max requests in flight per endpoint. */
  readonly webhookEndpointConcurrency: number;
  /** Max activities of the database queue that the process runs at a time. */
  readonly databaseSlots: number;
  /** Sends notifications by e-mail and Slack. */
  readonly sending: NoticeSending;
  /** Signals workflows in the background, so that no call waits for a signal. */
  readonly wakes: Pick<Wakes, 'wake'>;
  /** Kinds of work that this process does not do. */
  readonly paused: Paused;
  /**
   * Returns the signal of the turns that begin now. It aborts when the process stops, or stops polling because of a
   * restore: turns then claim no further work.
   */
  readonly stopping: () => AbortSignal;
  /** Registers work that continues after its activity has returned. The process waits for it before it exits. */
  readonly leave: (work: Promise<unknown>) => void;
  /** Starts a workflow. Succeeds when the workflow already runs. */
  readonly startWorkflow: (workflow: WorkflowToStart) => Promise<void>;
  /** Signals a workflow, and starts it if it does not run. */
  readonly wakeWorkflow: Wake;
}
