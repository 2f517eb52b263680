/** Columns in which `notReached` declares that a deleted person is still found. */
export interface Declared {
  /** Columns that may keep objects with the userId, and keys. */
  readonly named?: readonly string[];
  /** Columns that may keep strings with the userId or an address. */
  readonly told?: readonly string[];
  /** Why no column of the database contains it. */
  readonly because?: string;
}

const contents = ['crdt.decoded', 'crdt.state', 'crdt_update.bytes'];
const settings = ['key_config.config', 'audit_entry.after', 'audit_entry.before'];

/** The sentence of deletions in named organizations. */
export const ofOrganizations =
  'what belongs to no organization: users with their metadata and addresses, webhook endpoints, and agent executions, ' +
  'events and responses without one';

/** Every sentence of `notReached`, with its columns. */
export const declared: Readonly<Record<string, Declared>> = {
  'text inside shared CRDT content': { named: contents, told: [...contents, 'crdt.content_key'] },
  "free strings of other people's records": {
    told: [
      'activity.body',
      'agent_execution.body',
      'agent_execution.results',
      'app_user.metadata',
      'app_user.name',
      'attempt.response',
      'comment.body',
      'document.metadata',
      'document.name',
      'event.payload',
      'folder.metadata',
      'folder.name',
      'notification.body',
      'organization.metadata',
      'organization.name',
      'reaction.body',
      'reaction.icon',
      'recording.body',
      'thread.body',
      'user_group.name',
      'webhook_endpoint.metadata',
    ],
  },
  'texts and event types in settings of the key and of its webhook endpoints, also in the audit log': {
    named: [...settings, 'webhook_endpoint.filter_types', 'webhook_subscription.type'],
    told: [...settings, 'webhook_endpoint.description'],
  },
  'records by and for a user without a profile whose id is an address of the person': {
    because: 'no world has such a user: see shared-addresses.test.ts',
  },
  'copies already delivered': { because: 'receivers have them' },
  'keyed hashes of e-mail addresses that get no e-mail again': { because: 'hashes' },
  backups: { because: 'files' },
  'the userIds in the deletion journal, encrypted, until its file expires': { because: 'a file, encrypted' },
  'pseudonyms in the audit log': { because: 'hashes' },
  'responses kept for an Idempotency-Key, for 24 hours': { because: 'encrypted' },
  'tokens generated earlier, for 48 hours where only the JWKS is checked': { because: 'users hold them' },
  'the userIds of this deletion, encrypted, until its job is deleted 90 days after its end': {
    because: 'encrypted',
  },
  [ofOrganizations]: {
    named: [
      'agent_execution.body',
      'agent_execution.results',
      'app_user.email',
      'app_user.ext_id',
      'app_user.metadata',
      'app_user.name',
      'attempt.response',
      'event.payload',
      'user_address.address',
      'webhook_endpoint.metadata',
    ],
    told: ['app_user.email', 'app_user.ext_id', 'user_address.address'],
  },
};

/** Declared columns that no world writes, with the reason. */
export const unwritten: Readonly<Record<string, string>> = {
  'crdt_update.bytes': 'updates that lose a race against another one',
};

/** The columns that some of these sentences declare. */
export const columnsOf = (sentences: readonly string[], of: 'named' | 'told'): Set<string> =>
  new Set(sentences.flatMap((sentence) => declared[sentence]?.[of] ?? []));
