import type { Endpoint } from '../http/endpoint.ts';

/** A heading of the API reference and of docs/api.md: a tag of the OpenAPI document. */
interface Group {
  readonly name: string;
  readonly description: string;
}

const groups: Readonly<Record<string, Group>> = {
  workspace: {
    name: 'Workspace, keys and domains',
    description: 'Workspaces own API keys. Each API key is a separate tenant with its own data.',
  },
  configuration: {
    name: 'Configuration of a key',
    description: 'Settings of one API key. An update keeps fields that are not sent.',
  },
  advancedwebhook: {
    name: 'Advanced webhooks',
    description: 'Signed deliveries of events to endpoints, with retries, attempts and recovery.',
  },
  auth: {
    name: 'Access control',
    description: 'Grants of access to organizations, folders and documents, and tokens for users.',
  },
  organizations: {
    name: 'Organizations',
    description: 'Organizations own folders, documents, users and user groups.',
  },
  documents: { name: 'Documents', description: 'Documents of an organization, and migrations to a new id.' },
  folders: { name: 'Folders', description: 'Trees of folders within an organization.' },
  usergroups: { name: 'User groups', description: 'Named sets of users of an organization.' },
  users: {
    name: 'Users',
    description:
      'Members of organizations, folders and documents, and the export and deletion of their data.',
  },
  activities: { name: 'Activity logs', description: 'Records of what users did in a document.' },
  notifications: {
    name: 'Notifications',
    description: 'Notifications of users, their read state and the preferences of their recipients.',
  },
  commentannotations: {
    name: 'Comments',
    description: 'Threads of comments on documents, with reactions, assignments and read marks.',
  },
  crdt: { name: 'Collaborative data', description: 'Contents of collaborative editors, merged by Yjs.' },
  recordings: { name: 'Recordings', description: 'Recordings of audio, video and screens in a document.' },
  agents: { name: 'Agent executions', description: 'Executions of AI agents, with their results.' },
  rewriter: { name: 'Rewriter', description: 'Calls of AI providers with the provider keys of the API key.' },
  jobs: {
    name: 'Jobs',
    description: 'Work that continues after the response: status, list and cancellation.',
  },
  operator: {
    name: 'Operators',
    description: 'Administration of the deployment, with an operator token instead of an API key.',
  },
};

/** Returns the group of an operation. Operations of operators have a group of their own, whatever their path. */
export function groupOf({ paths, credentials }: Pick<Endpoint, 'paths' | 'credentials'>): Group {
  const resource = credentials === 'operator' ? 'operator' : resourceOf(paths[0]);
  const name = `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
  return groups[resource] ?? { name, description: `Operations of ${resource}.` };
}

/** Returns operations by group, in their order; operators' come last, because most readers call the others. */
export function byGroup(endpoints: readonly Endpoint[]): readonly (readonly [Group, readonly Endpoint[]])[] {
  const operatorsLast = endpoints.toSorted(
    (one, other) => Number(one.credentials === 'operator') - Number(other.credentials === 'operator'),
  );
  const found = Map.groupBy(operatorsLast, (endpoint) => groupOf(endpoint).name);
  return [...found.values()].map((members) => [groupOf(members[0] as Endpoint), members]);
}

function resourceOf(path: string): string {
  const [first = '', second = ''] = path.replace(/^\/v\d+\//, '').split('/');
  if (first === 'workspace' && second.endsWith('config')) return 'configuration';
  if (first === 'workspace' && second === 'advancedwebhook') return second;
  return first === 'organizations' && ['documents', 'folders', 'usergroups'].includes(second)
    ? second
    : first;
}
