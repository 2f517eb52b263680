import type { EntityManager } from '../../platform/database/orm.ts';
import { activityRecords } from '../activities/activity-records.ts';
import { executionRecords } from '../agents/execution-records.ts';
import { crdtRecords } from '../crdt/crdt-records.ts';
import { notificationRecords, preferenceRecords } from '../notifications/notification-records.ts';
import { accessRecords } from '../users/access-records.ts';

/** Where a walk over records stands: values of the index that it goes along, as the database writes them. */
export type Place = readonly string[];

/** A step of a walk. `last` is null when there is nothing behind it. */
export interface Step {
  readonly records: number;
  readonly last: Place | null;
}

export interface Walk {
  readonly tenantId: string;
  /** Surrogate keys, ascending. */
  readonly documents: readonly string[];
  /** Null at the start. */
  readonly after: Place | null;
}

/** A kind of records that hang on a document. All that a document holds is told by the list below, and by nothing else. */
export interface RecordKind {
  /** As `counts` names it. */
  readonly name: string;
  /** Counts the next records; short at any number of them. */
  count(em: EntityManager, walk: Walk): Promise<Step>;
  /** Removes the next records with all that hangs on them, few enough for one short transaction. */
  remove(em: EntityManager, walk: Walk): Promise<Step>;
}

/** Children before parents: records of a later kind may be named by those of an earlier one. */
export const recordKinds: readonly RecordKind[] = [
  executionRecords,
  crdtRecords,
  activityRecords,
  notificationRecords,
  preferenceRecords,
  accessRecords,
];
