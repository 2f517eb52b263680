import type { EntityManager } from '../../platform/database/orm.ts';
import type { SentChannel } from '../notices/channels.ts';
import type { HeldReason } from '../notices/statuses.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Claimed } from './claim-deliveries.ts';
import type { ReadMessage } from './read-messages.ts';
import type { NoticeRow } from './read-notices.ts';
import type { Attempted } from './send-deliveries.ts';

/** How a key sends on a channel, by its settings of the moment. */
export interface Outbox {
  /** Attempts at once. */
  readonly concurrency: number;
  /** Renders and sends a delivery with the notices that are left of it. */
  attempt(
    delivery: Claimed,
    messages: readonly ReadMessage[],
    notices: readonly NoticeRow[],
  ): Promise<Attempted>;
}

/** Reads the settings of a channel; `held` where they do not let it send. */
export type OpenOutbox = (
  em: EntityManager,
  tenant: Tenant,
  channel: SentChannel,
) => Promise<Outbox | { readonly held: HeldReason }>;
