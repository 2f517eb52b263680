import { IndexMigration } from '../index-migration.ts';

const nameKey = '(lower(left(name, 100)) collate "C")';

/**
 * Finds organizations, documents and users by a prefix of their names, and documents by a prefix of their ids.
 * `document_key_id` replaces `document_key_ext` and orders documents with equal ids.
 */
export class PrefixSearch extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'organization_name',
      'organization',
      `(api_key_id, ${nameKey}, id) where ext_id is not null`,
    );
    await this.addIndex('document_name', 'document', `(api_key_id, ${nameKey}, id) where ext_id is not null`);
    await this.addIndex(
      'app_user_name',
      'app_user',
      `(api_key_id, ${nameKey}, id) where ext_id is not null and name <> ''`,
    );
    await this.addIndex('document_key_id', 'document', '(api_key_id, ext_id, id)');
    this.addSql('drop index concurrently if exists document_key_ext');
  }
}
