import { Migration } from '@mikro-orm/migrations';

const executions = [
  // Organization and document are optional; a document requires its organization. Lists do not read `results`.
  `create table agent_execution (id bigint generated always as identity primary key, api_key_id bigint not null references api_key,
     org_id bigint references organization, document_id bigint references document,
     ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000), agent_id text collate "C" not null,
     status smallint not null, started_at bigint not null, completed_at bigint, started_by bigint, body json not null, results json,
     check (document_id is null or org_id is not null))`,
  `create unique index agent_execution_ext on agent_execution (api_key_id, ext_id)`,
  `create index agent_execution_key on agent_execution (api_key_id, started_at, id)`,
  // Counts by agent need only this index.
  `create index agent_execution_agent on agent_execution (api_key_id, agent_id, started_at, id) include (status, org_id, document_id)`,
  `create index agent_execution_organization on agent_execution (org_id, started_at, id)`,
  `create index agent_execution_document on agent_execution (document_id, started_at, id)`,
  `create index agent_execution_status on agent_execution (api_key_id, status, started_at, id) include (agent_id, org_id, document_id)`,
  `create index agent_execution_user on agent_execution (started_by, org_id, id) where started_by is not null`,
];

/** Creates the executions of customers' agents. */
export class Agents extends Migration {
  override up(): void {
    for (const statement of executions) this.addSql(statement);
  }
}
