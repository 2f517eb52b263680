import { Migration } from '@mikro-orm/migrations';

const statements = [
  // jws_enc: the signed receipt, encrypted because it names the API key. Null where `receipt` still holds it, as version 0.1 wrote it.
  // users_enc: the userIds of the deletion, for as long as its job is kept.
  `alter table user_data_deletion add column jws_enc bytea, add column users_enc bytea`,
];

/** A receipt can be tied to the people whom it covers while its job is kept. */
export class Receipts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
