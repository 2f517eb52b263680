import { IndexMigration } from '../index-migration.ts';

/** Finds the API key to which SendGrid's reports belong. */
export class EmailHooks extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex(
      'key_config_hook',
      'key_config',
      `((config ->> 'hookId')) where kind = 'emailsending'`,
    );
  }
}
