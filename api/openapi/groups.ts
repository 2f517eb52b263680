const titles: Readonly<Record<string, string>> = {
  workspace: 'Workspace, keys and domains',
  configuration: 'Configuration of a key',
  advancedwebhook: 'Advanced webhooks',
  auth: 'Access control',
  organizations: 'Organizations',
  documents: 'Documents',
  folders: 'Folders',
  usergroups: 'User groups',
  users: 'Users',
  activities: 'Activity logs',
  notifications: 'Notifications',
  commentannotations: 'Comments',
  crdt: 'Collaborative data',
  recordings: 'Recordings',
  agents: 'Agent executions',
  rewriter: 'Rewriter',
  jobs: 'Jobs',
  operator: 'Operators',
};

/** Returns the heading of an operation in the API reference and in docs/api.md. */
export function groupOf(path: string): string {
  const [first = '', second = ''] = path.replace(/^\/v\d+\//, '').split('/');
  const resource = resourceOf(first, second);
  return titles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
}

function resourceOf(first: string, second: string): string {
  if (first === 'workspace' && second.endsWith('config')) return 'configuration';
  if (first === 'workspace' && second === 'advancedwebhook') return second;
  return first === 'organizations' && ['documents', 'folders', 'usergroups'].includes(second)
    ? second
    : first;
}
