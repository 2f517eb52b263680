import { access } from './access.ts';
import { activities } from './activities.ts';
import { indexScansOnly } from './index-scans-only.ts';
import { events } from './events.ts';
import { jsonStores } from './json-stores.ts';
import { mentions } from './mentions.ts';
import { eventJson, responses } from './moment-stores.ts';
import { addresses } from './addresses.ts';
import { notificationsCaused } from './notifications-caused.ts';
import { notificationsReceived } from './notifications-received.ts';
import type { PersonalDataStore } from './personal-data-store.ts';
import {
  agentExecutions,
  agentExecutionsElsewhere,
  crdtRecords,
  groups,
  preferences,
  providerResponses,
} from './table-stores.ts';

/**
 * Every place that holds a person, but the person's own row, which goes last. All that a deletion removes, counts and
 * proves is told by this list. What a person may still reach goes first; records that stay are scrubbed when those that go
 * are gone.
 */
export const personalDataStores: readonly PersonalDataStore[] = [
  access,
  providerResponses,
  groups,
  preferences,
  events,
  activities,
  notificationsCaused,
  mentions,
  notificationsReceived,
  agentExecutions,
  agentExecutionsElsewhere,
  crdtRecords,
  ...jsonStores,
  eventJson,
  responses,
  addresses,
].map(indexScansOnly);
