import type { PersonPlace } from './place.ts';

/**
 * Every place that holds a person, but the person's own row (person-rows.ts), which goes last. All that a deletion removes,
 * counts and proves is told by this list. Those that scrub records come behind those that remove them.
 */
export const personPlaces: readonly PersonPlace[] = [];
