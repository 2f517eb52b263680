import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Null: valid until a reset. A reset that lets the previous token overlap with the new one sets the time.
  `alter table auth_token add column expires_at timestamptz`,
  `create index auth_token_expiry on auth_token (expires_at) where expires_at is not null`,
];

/** Lets previous auth tokens stay valid for a limited time after a reset. */
export class TokenOverlap extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
