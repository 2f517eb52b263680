import { sql } from 'kysely';
import { resourceKindNumbers } from '../../tenancy/resource-kinds.ts';
import { unindexedTenant } from './person-index.ts';
import { tableStore } from './table-store.ts';

/** A person's memberships in user groups, by user_group_member_user. */
export const groups = tableStore({
  name: 'groups',
  kind: 'groups',
  index: {
    table: 'user_group_member',
    columns: ['user_id', 'group_id'],
    organization: {
      sql: (named) => sql`exists (select from user_group g where g.id = t.group_id and g.org_id = ${named})`,
    },
  },
});

/** A person's notification preferences, by the primary key. */
export const preferences = tableStore({
  name: 'preferences',
  kind: 'preferences',
  index: {
    table: 'preference',
    columns: ['user_id', 'org_id', 'document_id'],
    organization: { column: 'org_id' },
  },
});

/** Notifications that name a person without being in their inbox, with the address sent, by named_recipient_user. */
export const namedRecipients = tableStore({
  name: 'namedRecipients',
  kind: null,
  index: {
    table: 'named_recipient',
    columns: ['user_id', 'org_id', 'notification_id'],
    organization: { column: 'org_id' },
  },
});

/** Cached responses of the permission provider about a person, by provider_answer_user. */
export const providerResponses = tableStore({
  name: 'providerAnswers',
  kind: null,
  index: {
    table: 'provider_answer',
    columns: ['user_id', 'config_version', 'kind', 'resource_id'],
    organization: {
      sql: (named) => sql`case t.kind
      when ${resourceKindNumbers.organization} then t.resource_id = ${named}
      when ${resourceKindNumbers.folder} then exists (select from folder f where f.id = t.resource_id and f.org_id = ${named})
      else exists (select from document d where d.id = t.resource_id and d.org_id = ${named}) end`,
    },
  },
});

/** Agent executions that a person started (`started_by`, `body.ranBy`), by agent_execution_user. */
export const agentExecutions = tableStore({
  name: 'agentExecutions',
  kind: 'agentExecutions',
  index: {
    table: 'agent_execution',
    columns: ['started_by', 'org_id', 'id'],
    ofTenant: (scope) => sql`${unindexedTenant(scope)} and t.started_by is not null and t.org_id is not null`,
    organization: { column: 'org_id' },
  },
});

/** Agent executions of a person without an organization, by agent_execution_elsewhere. */
export const agentExecutionsElsewhere = tableStore({
  name: 'agentExecutionsElsewhere',
  kind: 'agentExecutions',
  index: {
    table: 'agent_execution',
    columns: ['started_by', 'id'],
    ofTenant: (scope) => sql`${unindexedTenant(scope)} and t.started_by is not null and t.org_id is null`,
    organization: { sql: () => sql`false` },
  },
});

/** Recordings of a person, by recording_creator. */
export const recordings = tableStore({
  name: 'recordings',
  kind: 'recordings',
  index: {
    table: 'recording',
    columns: ['creator_id', 'org_id', 'id'],
    ofTenant: (scope) => sql`${unindexedTenant(scope)} and t.creator_id is not null`,
    organization: { column: 'org_id' },
  },
});

/**
 * Collaborative records that a person updated last, by crdt_user. They are kept without `last_updated_by` and without the
 * id of the session in which the person wrote.
 */
export const crdtRecords = tableStore({
  name: 'crdtRecords',
  kind: 'crdtRecords',
  index: {
    table: 'crdt',
    columns: ['last_updated_by', 'org_id', 'id'],
    ofTenant: (scope) => sql`${unindexedTenant(scope)} and t.last_updated_by is not null`,
    organization: { column: 'org_id' },
  },
  blank: sql`last_updated_by = null, session_id = null`,
});
