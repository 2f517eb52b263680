/**
 * Tables whose rows a deletion removes by the key. Each has an index that begins with `api_key_id`, by which the
 * verification scan looks for rows that are left.
 */
export const tablesByKey = [
  'agent_execution',
  'provider_answer',
  'json_name',
  'moment_name',
  'poison_event',
  'outbox',
  'webhook_pause',
  'webhook_subscription',
  'webhook_dispatch',
  'webhook_application',
  'event',
  'user_data_deletion',
  'staged_request',
  'usage_hour',
  'usage_day',
  'request_bucket',
  'limited_call',
  'channel_state',
  'channel_pace',
  'mail_suppression',
  'key_config',
  'auth_token',
] as const;

/** Rows of a key, and tables that refer to them by a column with an index. */
export interface Owner {
  readonly table: 'webhook_endpoint' | 'job' | 'app_user';
  readonly dependents: Readonly<Record<string, string>>;
}

/** Each is removed in the transaction that finds no dependent row left. */
export const owners: readonly Owner[] = [
  {
    table: 'webhook_endpoint',
    dependents: { delivery: 'endpoint_id', attempt: 'endpoint_id', webhook_drain: 'endpoint_id' },
  },
  {
    table: 'job',
    dependents: {
      id_reservation: 'job_id',
      migration: 'job_id',
      user_deletion: 'job_id',
      user_deletion_organization: 'job_id',
    },
  },
  {
    table: 'app_user',
    dependents: {
      access: 'user_id',
      user_group_member: 'user_id',
      preference: 'user_id',
      record_user: 'user_id',
      notification_recipient: 'user_id',
      named_recipient: 'user_id',
      event_user: 'user_id',
      user_address: 'user_id',
      thread_person: 'user_id',
      thread_audience: 'ref_id',
      thread_view: 'user_id',
      reaction: 'user_id',
      comment: 'author_id',
      notice: 'user_id',
      notice_window: 'user_id',
      outgoing: 'user_id',
      delivery_log: 'user_id',
      slack_identity: 'user_id',
    },
  },
];

/** Tables in which the verification scan looks for rows of the key. */
export const scannedTables: readonly string[] = [
  'organization',
  'document',
  ...owners.map(({ table }) => table),
  ...tablesByKey,
];
