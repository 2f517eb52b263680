import { Migration } from '@mikro-orm/migrations';

const statements = [
  // jws_enc: the signed receipt, encrypted because it contains the API key; null for receipts of release 0.1, which are
  // in `receipt`. users_enc: the userIds of the deletion, kept as long as its job.
  `alter table user_data_deletion add column jws_enc bytea, add column users_enc bytea`,
];

/** Adds signed receipts, and the users that they cover while the job is kept. */
export class Receipts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
