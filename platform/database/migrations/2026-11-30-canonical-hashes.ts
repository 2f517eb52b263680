import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the hash by which an equal request is recognized in any order of its members. Processes of release 0.2.0 leave it
 * as it is: it includes `content_hash`, so that it counts for no other content.
 */
export class CanonicalHashes extends Migration {
  override up(): void {
    this.addSql('alter table notification add column canonical_hash bytea');
  }
}
