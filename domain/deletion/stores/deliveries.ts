import { sql } from 'kysely';
import { deletingItems } from '../../notices/remove-notices.ts';
import { tableStore } from './table-store.ts';

/** Waiting notices for a person, by notice_user. */
export const notices = tableStore({
  name: 'notices',
  kind: 'deliveries',
  index: {
    table: 'notice',
    columns: ['user_id', 'org_id', 'channel', 'document_id', 'id'],
    organization: { column: 'org_id' },
  },
});

/** Open digest windows of a person, by the primary key. */
export const noticeWindows = tableStore({
  name: 'noticeWindows',
  kind: null,
  index: {
    table: 'notice_window',
    columns: ['user_id', 'channel', 'org_id', 'document_id'],
    organization: { column: 'org_id' },
  },
});

/**
 * Deliveries to a person that have not ended, by outgoing_user. A claimed delivery is left to its sender, which removes
 * it after the attempt. After the fence, no sender sends one that it claims.
 */
export const outgoing = tableStore({
  name: 'outgoing',
  kind: 'deliveries',
  inUse: sql`coalesce(t.claimed_until > now(), false)`,
  index: { table: 'outgoing', columns: ['user_id', 'org_id', 'id'], organization: { column: 'org_id' } },
});

/** Deliveries to a person that have ended, by log_user, with their items. */
export const deliveryLog = tableStore({
  name: 'deliveryLog',
  kind: 'deliveries',
  index: {
    table: 'delivery_log',
    columns: ['user_id', 'org_id', 'at', 'id'],
    times: ['at'],
    organization: { column: 'org_id' },
  },
  alsoDelete: sql`items as (${deletingItems(sql`gone`)})`,
});

/** A person's Slack account, by the primary key. It belongs to no organization, so every deletion removes it. */
export const slackIdentities = tableStore({
  name: 'slackIdentities',
  kind: null,
  index: { table: 'slack_identity', columns: ['user_id'], organization: { sql: () => sql`true` } },
});
