/** The tabs of the page, as its URL names them. */
export const documentTabs = [
  'access',
  'threads',
  'activity',
  'data',
  'notifications',
  'events',
  'migration',
] as const;
export type DocumentTab = (typeof documentTabs)[number];
