import { activityLogTypes } from './event-types/activity-logs.ts';
import { systemTypes } from './event-types/system.ts';
import { withUniqueNames, type EventType } from './event-types/event-type.ts';
import { recordTypes } from './event-types/records.ts';

/**
 * The predefined event types. Activity logs emit their own `actionType`, so endpoints may subscribe to other types.
 */
export const eventTypes: readonly EventType[] = withUniqueNames([
  ...[...systemTypes, ...recordTypes].map((type): EventType => ({ ...type, emitted: true })),
  ...activityLogTypes,
]);

const byName = new Map(eventTypes.map((type) => [type.name, type]));

export const findEventType = (name: string): EventType | undefined => byName.get(name);

/** A displayable sentence; undefined for a type that is not predefined. */
export const describeEventType = (name: string): string | undefined => byName.get(name)?.description;
