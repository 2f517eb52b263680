import { executionsOfPlaces } from '../agents/execution-records.ts';
import type { PlaceRecords } from '../documents/record-kind.ts';
import { groupsOfPlaces } from '../groups/group-records.ts';
import { accessOfPlaces } from '../members/access-records.ts';
import { preferencesOfPlaces } from '../notifications/notification-records.ts';

/** Children before parents. All that a place holds is told by this list, by the folders and by the kinds of records of documents. */
export const placeRecords: readonly PlaceRecords[] = [
  executionsOfPlaces,
  accessOfPlaces,
  ...groupsOfPlaces,
  preferencesOfPlaces,
];
