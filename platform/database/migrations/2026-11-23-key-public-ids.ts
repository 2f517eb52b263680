import { Migration } from '@mikro-orm/migrations';

/**
 * A public id for each API key, for logs and for Temporal, where the key, which is a secret, and the surrogate key, which
 * means nothing to anyone, have no place. Derived one-way, by PostgreSQL: processes of the former release write it too.
 */
export class KeyPublicIds extends Migration {
  override up(): void {
    this.addSql(`alter table api_key add column public_id text not null
      generated always as ('akid_' || left(encode(sha256(key_hash), 'hex'), 32)) stored`);
    this.addSql('create unique index api_key_public_id on api_key (public_id)');
  }
}
