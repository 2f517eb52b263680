import { Migration } from '@mikro-orm/migrations';

/** Adds which id of a resource the permission provider was asked about: a migrated document keeps its surrogate key. */
export class AskedIds extends Migration {
  override up(): void {
    this.addSql('alter table provider_answer add column asked_id_hash bigint');
  }
}
