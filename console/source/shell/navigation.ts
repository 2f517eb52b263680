import type { Session } from '../session/session.ts';

/** Pages of one API key, in the order of the navigation. */
export const keyPages = [
  { to: '/keys/$keyId/overview', title: 'Overview' },
  { to: '/keys/$keyId/organizations', title: 'Organizations' },
  { to: '/keys/$keyId/users', title: 'Users' },
  { to: '/keys/$keyId/webhooks', title: 'Webhooks' },
  { to: '/keys/$keyId/jobs', title: 'Jobs' },
  { to: '/keys/$keyId/notifications', title: 'Notifications' },
  { to: '/keys/$keyId/settings', title: 'Settings' },
] as const;

/** Pages over all that a session of a kind may see. */
export const wholePages = {
  workspace: [
    { to: '/api-keys', title: 'API keys' },
    { to: '/jobs', title: 'All jobs' },
    { to: '/audit-log', title: 'Audit log' },
    { to: '/open-sessions', title: 'Sessions' },
  ],
  key: [{ to: '/open-sessions', title: 'Sessions' }],
  operator: [
    { to: '/api-keys', title: 'API keys' },
    { to: '/jobs', title: 'All jobs' },
    { to: '/audit-log', title: 'Audit log' },
    { to: '/open-sessions', title: 'Sessions' },
  ],
} as const satisfies Readonly<
  Record<Session['kind'], readonly { readonly to: string; readonly title: string }[]>
>;
