import type { EntityManager } from '../../../platform/database/orm.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** The kinds that a deletion counts, as status and receipt name them. */
export const personalDataKinds = [
  'memberships',
  'grants',
  'groups',
  'preferences',
  'notificationsReceived',
  'notificationsCaused',
  'activities',
  'recordings',
  'mentions',
  'agentExecutions',
  'crdtRecords',
  'commentAnnotations',
  'comments',
  'reactions',
  'commentViews',
  'deliveries',
  'events',
  'user',
] as const;
export type PersonalDataKind = (typeof personalDataKinds)[number];

/** Kinds that releases 0.1.0 and 0.2.0 do not know. The receipts that they signed have no count for them. */
export const laterKinds: ReadonlySet<PersonalDataKind> = new Set([
  'recordings',
  'commentAnnotations',
  'comments',
  'reactions',
  'commentViews',
  'deliveries',
]);

/** Counts by kind; a kind without a count was not found. */
export type PersonalDataCounts = Readonly<Partial<Record<PersonalDataKind, number>>>;

/** A user whose data is deleted. */
export interface Person {
  /** Surrogate key. */
  readonly id: string;
  /** The customer's id. */
  readonly userId: string;
}

/** The people, and the organizations in which their data is deleted. */
export interface PersonScope {
  readonly tenantId: string;
  /** 1 to 1,000, ordered by surrogate key. */
  readonly users: readonly Person[];
  /** Surrogate keys; null is every organization of the API key. An empty list is no organization. */
  readonly organizations: readonly string[] | null;
}

/** A scope with everything by which rows name its people, as read by `identify`. */
export interface IdentifiedScope extends PersonScope {
  /** The scope with the bare users of the people's addresses added. */
  readonly named: PersonScope;
  readonly identifiers: PersonIdentifiers;
}

/** The last processed row: surrogate keys and times, never a customer's id. May appear in workflow histories. */
export type StoreCursor = readonly string[];

/** The result of one batch. `last` is null when no rows follow. */
export interface StoreStep {
  readonly counts: PersonalDataCounts;
  readonly last: StoreCursor | null;
  /** Whether rows remain that another process works on, for at most 90 s. The store is then not done. */
  readonly waits?: boolean;
  /** Whether the next batch begins at the cursor of this one, which `last` repeats. The store is then not done. */
  readonly repeats?: boolean;
}

/** The result of one batch of the verification scan. `last` is null when no rows follow. */
export interface StoreScan {
  readonly any: boolean;
  readonly last: StoreCursor | null;
}

/**
 * A store of personal data. Each batch is a short transaction along an index. `after` is null at the start and only
 * saves work: a restart finds the remaining rows. Callers retry deadlocks and serialization failures (40P01, 40001).
 */
export interface PersonalDataStore {
  /** Unique, and persisted with a running deletion. */
  readonly name: string;
  /** The kinds that it counts; several stores may count the same kind. */
  readonly kinds: readonly PersonalDataKind[];
  /** Removes or scrubs the next batch in the transaction of `em`. */
  remove(em: EntityManager, scope: IdentifiedScope, after: StoreCursor | null): Promise<StoreStep>;
  /** Counts the next batch of the rows that `remove` would change. */
  count(em: EntityManager, scope: IdentifiedScope, after: StoreCursor | null): Promise<StoreStep>;
  /** Scans the next batch for remaining personal data, for the verification. */
  remains(em: EntityManager, scope: IdentifiedScope, after: StoreCursor | null): Promise<StoreScan>;
}
