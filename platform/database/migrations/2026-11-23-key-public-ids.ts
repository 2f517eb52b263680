import { Migration } from '@mikro-orm/migrations';

/**
 * Adds a public id of each API key for logs and Temporal, because the key is a secret. PostgreSQL derives it one-way,
 * so processes of the previous release write it too.
 */
export class KeyPublicIds extends Migration {
  override up(): void {
    this.addSql(`alter table api_key add column public_id text not null
      generated always as ('akid_' || left(encode(sha256(key_hash), 'hex'), 32)) stored`);
    this.addSql('create unique index api_key_public_id on api_key (public_id)');
  }
}
