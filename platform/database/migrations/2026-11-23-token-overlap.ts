import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Null: valid until it is reset. Set by a reset that lets the former token overlap with the new one.
  `alter table auth_token add column expires_at timestamptz`,
  `create index auth_token_expiry on auth_token (expires_at) where expires_at is not null`,
];

/** Former auth tokens stay valid for a time after a reset. */
export class TokenOverlap extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
