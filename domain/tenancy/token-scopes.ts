/**
 * Scopes of auth tokens: a family of operations, and whether they read or write. `docs/security.md` lists them; a test
 * compares them with the operations.
 */
export const tokenScopes = [
  'domains:read',
  'domains:write',
  'configuration:read',
  'configuration:write',
  'webhooks:read',
  'webhooks:write',
  'permissions:read',
  'permissions:write',
  'organizations:read',
  'organizations:write',
  'documents:read',
  'documents:write',
  'folders:read',
  'folders:write',
  'users:read',
  'users:write',
  'userdata:read',
  'userdata:write',
  'usergroups:write',
  'activities:read',
  'activities:write',
  'commentannotations:read',
  'commentannotations:write',
  'recordings:read',
  'recordings:write',
  'notifications:read',
  'notifications:write',
  'crdt:read',
  'crdt:write',
  'agents:read',
  'agents:write',
  'rewriter:write',
  'jobs:read',
  'jobs:write',
] as const;

export type TokenScope = (typeof tokenScopes)[number];
