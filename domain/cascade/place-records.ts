import { executionsOfPlaces } from '../agents/execution-records.ts';
import { groupsOfPlaces } from '../groups/group-records.ts';
import { preferencesOfPlaces } from '../notifications/notification-records.ts';
import { accessOfPlaces } from '../users/access-records.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Removes some of what hangs on deleted places, few enough rows for one short transaction; answers how many, 0 at the end. */
export type RemovePlaceRecords = (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
) => Promise<number>;

/** A kind of rows that hang on a folder or an organization itself, and on no document. */
export interface PlaceRecords {
  readonly folders?: RemovePlaceRecords | undefined;
  readonly organizations?: RemovePlaceRecords | undefined;
}

/** Children before parents. All that a place holds is told by this list, by the folders and by the kinds of records of documents. */
export const placeRecords: readonly PlaceRecords[] = [
  executionsOfPlaces,
  accessOfPlaces,
  ...groupsOfPlaces,
  preferencesOfPlaces,
];
