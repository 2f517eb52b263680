import { Migration } from '@mikro-orm/migrations';

const statements = [
  // owner_id: the workspace, the API key or the operator token; 0 is STEWARD_OPERATOR_TOKEN. A session is valid while
  // token_hash is the hash of its owner's valid token.
  `create table console_session (
    session_hash bytea primary key,
    public_id text not null generated always as ('ses_' || left(encode(sha256(session_hash), 'hex'), 32)) stored,
    kind text not null,
    owner_id bigint not null,
    token_hash bytea not null,
    user_agent text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index console_session_token on console_session (kind, owner_id, token_hash)`,
  `create index console_session_expiry on console_session (expires_at)`,
  // Codes of sign-in links, each valid for one use.
  `create table console_code (code_hash bytea primary key, workspace_id bigint not null, expires_at timestamptz not null)`,
  `create index console_code_expiry on console_code (expires_at)`,
  `alter table operator_token add column acts_for_keys boolean not null default false`,
];

/** Creates console sessions, and operator tokens that may act for API keys in the console. */
export class Console extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
