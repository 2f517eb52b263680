import { activityTypes } from './event-types/activities.ts';
import { systemTypes } from './event-types/system.ts';
import { catalogued, type EventType } from './event-types/event-type.ts';
import { recordTypes } from './event-types/records.ts';

/**
 * Every type of event that is known beforehand. activities/add emits whatever `actionType` it is given, so endpoints may
 * name others as well.
 */
export const eventTypes: readonly EventType[] = catalogued([
  ...systemTypes,
  ...recordTypes,
  ...activityTypes,
]);

const byName = new Map(eventTypes.map((type) => [type.name, type]));

export const findEventType = (name: string): EventType | undefined => byName.get(name);

/** A sentence about an event of that type; undefined for a type that only its sender knows. */
export const describeEventType = (name: string): string | undefined => byName.get(name)?.description;
