import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create table operator_token (
    id bigint generated always as identity primary key,
    public_id text not null unique,
    name text not null,
    scope text not null,
    token_hash bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  `create index operator_token_unrevoked on operator_token (id) where revoked_at is null`,
];

/** Creates operator tokens with name, scope and expiry. STEWARD_OPERATOR_TOKEN is never stored. */
export class OperatorTokens extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
