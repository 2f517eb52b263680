export const sectionNames = [
  'key',
  'domains',
  'activity',
  'notifications',
  'email',
  'webhooks',
  'basic-webhooks',
  'permissions',
] as const;
export type SectionName = (typeof sectionNames)[number];
