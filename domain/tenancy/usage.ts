import { announce, type Announcement, type EntityManager, type Orm } from '../../platform/database/orm.ts';

/** Kinds of rows whose creation is counted. */
export const countedKinds = [
  'organizations',
  'folders',
  'documents',
  'users',
  'userGroups',
  'activityLogs',
  'notifications',
  'crdtRecords',
  'agentExecutions',
  'commentAnnotations',
  'comments',
  'reactions',
  'recordings',
] as const;

/** Counters of calls and deliveries. `deliveries` counts attempts; bytes are those of bodies. */
export const callCounters = [
  'requests',
  'errors',
  'bytesIn',
  'bytesOut',
  'events',
  'deliveries',
  'aiCalls',
  'aiInputTokens',
  'aiOutputTokens',
] as const;

/** Every counter of an API key's usage. */
export const usageCounters = [...callCounters, ...countedKinds] as const;

export type UsageCounter = (typeof usageCounters)[number];

/** Additions to counters; an absent counter adds nothing. */
export type UsageCounts = Readonly<Partial<Record<UsageCounter, number>>>;

/** Usage of an API key in a committed transaction, or outside transactions. */
export class UsageAnnounced implements Announcement {
  readonly announces = 'usage';
  /** Surrogate key. */
  readonly tenantId: string;
  readonly counts: UsageCounts;

  constructor(tenantId: string, counts: UsageCounts) {
    this.tenantId = tenantId;
    this.counts = counts;
  }
}

/**
 * Counts rows that the transaction of `em` created for a key, or its other usage, once it commits. Sends no statement.
 * `tenantId`: the key's surrogate key.
 */
export function countUsage(em: EntityManager, tenantId: string, counter: UsageCounter, count: number): void {
  if (count > 0) announce(em, new UsageAnnounced(tenantId, { [counter]: count }));
}

/** Counts usage outside transactions. */
export function countUsageNow({ onAnnounced }: Orm, tenantId: string, counts: UsageCounts): void {
  onAnnounced?.(new UsageAnnounced(tenantId, counts));
}
