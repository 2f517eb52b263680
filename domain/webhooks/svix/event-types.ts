/*
 * Svix accepts letters, digits, `_`, `.` and `-` in event types, and at most 256 characters. Steward's also contain `:`, and
 * have at most 100.
 */
const colon = '_-';

export const typeForSvix = (eventType: string): string => eventType.replaceAll(':', colon);

export const typeOfSvix = (eventType: string): string => eventType.replaceAll(colon, ':');
