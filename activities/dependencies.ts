import type { Configuration } from '../platform/config/configuration.ts';
import type { Outbound } from '../platform/outbound/outbound-connections.ts';
import type { Wakes } from '../platform/temporal/wakes.ts';
import type { WorkflowToStart } from '../platform/temporal/temporal-client.ts';
import type { WebhookProvider } from '../domain/webhooks/provider.ts';
import type { KeyRing } from '../platform/encryption/key-ring.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** What activities work with; the worker puts it together. */
export interface Dependencies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  /** Issuer of receipts. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Where AI providers are asked; undefined is a provider's own address. */
  readonly providerBaseUrls: Configuration['providerBaseUrls'];
  readonly webhooks: WebhookProvider;
  /** CIDRs that may be reached although they are private. */
  readonly outboundAllowedNetworks: readonly string[];
  /** Goes only where it may. */
  readonly outbound: Outbound;
  /** Milliseconds before each attempt to deliver a message. */
  readonly webhookRetrySchedule: readonly number[];
  /** Wakes workflows; never waited for. */
  readonly wakes: Wakes;
  /** The process ends: turns take nothing more in hand. */
  readonly stopping: AbortSignal;
  /** Starting what runs already is a success. */
  readonly startWorkflow: (workflow: WorkflowToStart) => Promise<void>;
}
