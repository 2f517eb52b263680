import { Migration } from '@mikro-orm/migrations';

/**
 * Builds indexes while their tables are read and written, outside a transaction. An interrupted build leaves an invalid
 * index, which the next run drops and builds again. Do nothing else in such a migration.
 */
export abstract class IndexMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** `definition` follows the table's name: `(column) where …`. A partitioned table cannot have such an index. */
  protected async addIndex(
    name: string,
    table: string,
    definition: string,
    kind: '' | 'unique' = '',
  ): Promise<void> {
    await this.#waitForBuilds(table);
    const [present] = await this.execute(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass(?)',
      [name],
    );
    if (present !== undefined && Reflect.get(present, 'valid') === true) return;
    if (present !== undefined) this.addSql(`drop index concurrently ${name}`);
    this.addSql(`create ${kind} index concurrently ${name} on ${table} ${definition}`);
  }

  /** Waits for a build of a killed process: PostgreSQL continues it, and it holds this lock on the table. */
  async #waitForBuilds(table: string): Promise<void> {
    await this.driver.getConnection().transactional(async (transaction) => {
      await this.driver.execute('set local lock_timeout = 0', [], 'run', transaction);
      await this.driver.execute(`lock table ${table} in share update exclusive mode`, [], 'run', transaction);
    });
  }
}
