import { Migration } from '@mikro-orm/migrations';

const access = [
  // A row holds membership and grant separately, so that revoking one never raises the other. kind: 1 organization, 2
  // folder, 3 document.
  `create table access (user_id bigint not null references app_user, kind smallint not null, resource_id bigint not null,
     api_key_id bigint not null, org_id bigint not null, user_ext text collate "C" not null, is_member boolean not null,
     member_role smallint, grant_role smallint, grant_expires_at timestamptz, primary key (user_id, kind, resource_id),
     check (is_member or grant_role is not null))`,
  `create index access_resource on access (kind, resource_id, user_ext)`,
  `create index access_organization on access (org_id, kind, user_ext, resource_id)`,
  `create index access_user_organization on access (user_id, org_id)`,
  `create index access_expiry on access (grant_expires_at) where grant_expires_at is not null`,
];

const groups = [
  `create table user_group (id bigint generated always as identity primary key, api_key_id bigint not null,
     org_id bigint not null references organization,
     ext_id text collate "C" not null check (octet_length(ext_id) between 1 and 1000), name text not null, unique (org_id, ext_id))`,
  `create table user_group_member (group_id bigint not null references user_group, user_id bigint not null references app_user,
     user_ext text collate "C" not null, api_key_id bigint not null, primary key (group_id, user_ext))`,
  `create index user_group_member_user on user_group_member (user_id)`,
];

const provider = [
  // Decisions of the customer's permission provider: never read after expires_at, which reading never extends.
  `create table provider_answer (api_key_id bigint not null, config_version int not null, user_id bigint not null, kind smallint not null,
     resource_id bigint not null, has_access boolean not null, role smallint, expires_at timestamptz not null,
     expiry_stated boolean not null,
     primary key (api_key_id, config_version, user_id, kind, resource_id))`,
  `create index provider_answer_user on provider_answer (user_id)`,
  `create index provider_answer_expiry on provider_answer (expires_at)`,
];

/** Creates memberships, grants, user groups and the decisions of permission providers. */
export class Access extends Migration {
  override up(): void {
    for (const statement of [...access, ...groups, ...provider]) this.addSql(statement);
  }
}
