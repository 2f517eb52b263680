import { access } from './access.ts';
import { activities } from './activities.ts';
import { byIndexAlone } from './by-index-alone.ts';
import { events } from './events.ts';
import { jsonPlaces } from './json-places.ts';
import { mentions } from './mentions.ts';
import { eventJson, responses } from './moment-places.ts';
import { addresses } from './named-by-address.ts';
import { notificationsCaused } from './notifications-caused.ts';
import { notificationsReceived } from './notifications-received.ts';
import type { PersonPlace } from './place.ts';
import {
  agentExecutions,
  agentExecutionsElsewhere,
  crdtRecords,
  groups,
  preferences,
  providerResponses,
} from './table-places.ts';

/**
 * Every place that holds a person, but the person's own row, which goes last. All that a deletion removes, counts and
 * proves is told by this list. What a person may still reach goes first; records that stay are scrubbed when those that go
 * are gone.
 */
export const personPlaces: readonly PersonPlace[] = [
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
  ...jsonPlaces,
  eventJson,
  responses,
  addresses,
].map(byIndexAlone);
