import type { EntityManager } from '../../../platform/database/orm.ts';

/** What a deletion counts, by the names that status and receipt answer. */
export const personalDataKinds = [
  'memberships',
  'grants',
  'groups',
  'preferences',
  'notificationsReceived',
  'notificationsCaused',
  'activities',
  'mentions',
  'agentExecutions',
  'crdtRecords',
  'events',
  'user',
] as const;
export type PersonalDataKind = (typeof personalDataKinds)[number];

export type PersonalDataCounts = Readonly<Partial<Record<PersonalDataKind, number>>>;

export interface Person {
  /** Surrogate key. */
  readonly id: string;
  /** The customer's. */
  readonly userId: string;
}

/** Whose data, and where. */
export interface PersonScope {
  readonly tenantId: string;
  /** 1 to 1,000, in the order of their surrogate keys. */
  readonly users: readonly Person[];
  /** Surrogate keys; null is all of the key's. An empty list is nowhere. */
  readonly organizations: readonly string[] | null;
}

/** Where a walk stands: surrogate keys and times, never a customer's id. It may go into a workflow's history. */
export type StoreCursor = readonly string[];

/** A step of a walk. `last` is null when there is nothing behind it. */
export interface StoreStep {
  readonly counts: PersonalDataCounts;
  readonly last: StoreCursor | null;
}

/** A step of the second scan. `last` is null when there is nothing behind it. */
export interface StoreScan {
  readonly any: boolean;
  readonly last: StoreCursor | null;
}

/**
 * A place that holds a person. Steps are short transactions by an index; `after` is null at the start and only saves work:
 * a walk that starts again finds what is left. Deadlock and serialisation failures (40P01, 40001) are to be tried again.
 */
export interface PersonalDataStore {
  /** Tells it apart from other places; more than one may count the same kind. */
  readonly name: string;
  /** What its counts may name. */
  readonly kinds: readonly PersonalDataKind[];
  /** Removes or scrubs the next rows, few enough for one short transaction, which is that of `em`. */
  remove(em: EntityManager, scope: PersonScope, after: StoreCursor | null): Promise<StoreStep>;
  /** Counts the next of what `remove` would. */
  count(em: EntityManager, scope: PersonScope, after: StoreCursor | null): Promise<StoreStep>;
  /** Whether the next rows hold anything, the proof of a deletion: nothing may be left at the end. */
  remains(em: EntityManager, scope: PersonScope, after: StoreCursor | null): Promise<StoreScan>;
}
