import type { Session } from '../session/session.ts';

/** Pages of one API key in the order of the navigation. `holds` lists the pages that open from them. */
export const keyPages = [
  { to: '/keys/$keyId/overview', title: 'Overview', holds: [] },
  { to: '/keys/$keyId/organizations', title: 'Organizations', holds: ['organization', 'document'] },
  { to: '/keys/$keyId/users', title: 'Users', holds: ['user'] },
  { to: '/keys/$keyId/webhooks', title: 'Webhooks', holds: ['endpoint', 'message'] },
  { to: '/keys/$keyId/jobs', title: 'Jobs', holds: ['job'] },
  { to: '/keys/$keyId/notifications', title: 'Notifications', holds: [] },
  { to: '/keys/$keyId/settings', title: 'Settings', holds: [] },
] as const satisfies readonly {
  readonly to: string;
  readonly title: string;
  readonly holds: readonly string[];
}[];

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
