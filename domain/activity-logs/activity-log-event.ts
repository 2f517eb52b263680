import type { LocationRequest } from '../documents/lock-location.ts';
import type { NewEvent } from '../events/record-events.ts';
import { surrogates, type LocatedActivityLog } from './write-activity-logs.ts';

/** An activity log with the customer's ids of its location. */
export interface SentActivityLog extends LocatedActivityLog {
  readonly location: Pick<LocationRequest, 'organizationId' | 'documentId'> & LocatedActivityLog['location'];
  /** W3C trace context of its call; undefined where tracing is off. */
  readonly traceparent?: string | undefined;
}

/** The event of an activity log: the record as responses show it, without the API key. */
export function activityLogEvent({ activityLog, location, at, traceparent }: SentActivityLog): NewEvent {
  const { organizationId, documentId, users } = location;
  return {
    type: activityLog.body.actionType,
    organization: location.organization,
    document: location.document,
    channels: [organizationId, documentId],
    payload: withMembers(activityLog.json, {
      id: activityLog.id,
      timestamp: at,
      metadata: { organizationId, documentId },
    }),
    users: surrogates(new Set([activityLog.body.actionUser.userId, ...activityLog.mentioned]), users),
    names: activityLog.names,
    traceparent,
  };
}

/** Appends members to the JSON of a non-empty object. */
const withMembers = (json: string, members: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
