import { access } from './access.ts';
import { activities } from './activities.ts';
import { comments } from './comments/comments.ts';
import { reactions } from './comments/reactions.ts';
import { threadComments } from './comments/thread-comments.ts';
import { threadViews } from './comments/thread-views.ts';
import { createdThreads, threadMentions } from './comments/threads.ts';
import { indexScansOnlyAfter } from './index-scans-only.ts';
import { events } from './events.ts';
import { jsonStores } from './json-stores.ts';
import { mentions } from './mentions.ts';
import { deliveryLog, notices, noticeWindows, outgoing, slackIdentities } from './deliveries.ts';
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
  namedRecipients,
  preferences,
  providerResponses,
  recordings,
} from './table-stores.ts';

/**
 * Every store that a deletion processes, counts and verifies, in this order; the users' own rows are deleted last.
 * Access is removed first. Records that are kept are scrubbed after the others are removed. Notifications precede
 * comments, whose removal deletes notifications without counting them and leaves their notices to the sender.
 */
export const personalDataStores: readonly PersonalDataStore[] = [
  access,
  notices,
  noticeWindows,
  outgoing,
  deliveryLog,
  slackIdentities,
  providerResponses,
  groups,
  preferences,
  events,
  notificationsCaused,
  indexScansOnlyAfter(activities),
  recordings,
  mentions,
  notificationsReceived,
  threadViews,
  reactions,
  indexScansOnlyAfter(threadComments),
  indexScansOnlyAfter(comments),
  createdThreads,
  threadMentions,
  namedRecipients,
  agentExecutions,
  agentExecutionsElsewhere,
  crdtRecords,
  ...jsonStores,
  eventJson,
  responses,
  addresses,
];

/** Their names, which a deletion persists. */
export const storeNames: readonly string[] = personalDataStores.map(({ name }) => name);
