import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table auth_token
     alter column token_enc drop not null,
     -- Null: every operation.
     add column scopes text[],
     add column last_used_at timestamptz,
     add column public_id text not null
       generated always as ('atk_' || left(encode(sha256(token_hash), 'hex'), 32)) stored`,
];

/** Adds scopes and public ids to auth tokens. Of a token with scopes only the hash is stored. */
export class ScopedTokens extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
