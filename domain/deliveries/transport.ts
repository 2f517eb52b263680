import type { EntityManager } from '../../platform/database/orm.ts';
import type { ProviderConnections } from '../../platform/senders/provider-connections.ts';
import type { SentChannel } from '../notices/channels.ts';
import type { HeldReason } from '../notices/statuses.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { ReadMessage } from './read-messages.ts';
import type { NoticeRow } from './read-notices.ts';
import type { Attempted } from './send-deliveries.ts';

/** Renders and sends a delivery with its remaining notices. */
export type Attempt = (
  delivery: ClaimedDelivery,
  messages: readonly ReadMessage[],
  notices: readonly NoticeRow[],
) => Promise<Attempted>;

/** Sends on a channel with the settings that a key had when it was opened. */
export interface ChannelTransport {
  /** The connections to the provider. Each attempt takes one. */
  readonly connections: ProviderConnections;
  /**
   * Reads what a claim needs in addition to its messages, in a number of statements that depends only on its bytes.
   * `messages`, `notices`: those of each delivery.
   */
  prepare(
    em: EntityManager,
    messages: readonly (readonly ReadMessage[])[],
    notices: readonly (readonly NoticeRow[])[],
  ): Promise<Attempt>;
}

/** Reads the settings of a channel; returns `held` when they do not allow it to send. */
export type OpenTransport = (
  em: EntityManager,
  tenant: Tenant,
  channel: SentChannel,
) => Promise<ChannelTransport | { readonly held: HeldReason }>;
