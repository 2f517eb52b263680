import type { CrdtReads } from '../../domain/crdt/crdt-reads.ts';
import type { Senders } from '../../domain/deliveries/senders.ts';
import type { Messaging } from '../../platform/config/messaging.ts';
import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { WebhookProvider } from '../../domain/webhooks/provider.ts';
import type { Outbound } from '../../platform/outbound/outbound-connections.ts';
import type { Rewriter } from '../rewriter/rewriter.ts';
import type { ConcurrentCalls } from './caller/concurrent-calls.ts';

/** Dependencies of handlers beyond the database and its encryption. */
export interface Services {
  readonly crdtReads: CrdtReads;
  /** The issuer in receipts. */
  readonly publicUrl: string;
  readonly messaging: Messaging;
  /** Sends e-mails and Slack messages. Never call it within a transaction. */
  readonly senders: Senders;
  /** Calls the customer's permission provider. Never call it within a transaction. */
  readonly permissionProvider: PermissionProvider;
  /** Calls AI providers through workflows. Never call it within a transaction. */
  readonly rewriter: Rewriter;
  readonly concurrentCalls: ConcurrentCalls;
  /** Stores and serves the endpoints of advanced webhooks. */
  readonly webhooks: WebhookProvider;
  /** Calls URLs that customers configure. Never call it within a transaction. */
  readonly outbound: Outbound;
  /** Returns the URL of a workflow in the Temporal UI, or null when TEMPORAL_UI_URL is not set. */
  readonly workflowUrl: (workflowId: string) => string | null;
}
