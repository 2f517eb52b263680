import { Migration } from '@mikro-orm/migrations';

/**
 * A partition without the index of its table. `built`: whether its own index is valid; null without one. Parameters: the
 * index, the table, the index.
 */
const partitionWithout = `
  select p.relname as partition,
    (select x.indisvalid from pg_index x where x.indexrelid = to_regclass(p.relname || '_' || ?)) as built
  from pg_inherits i join pg_class p on p.oid = i.inhrelid
  where i.inhparent = to_regclass(?) and not exists (
    select from pg_index x join pg_inherits a on a.inhrelid = x.indexrelid
    where x.indrelid = p.oid and a.inhparent = to_regclass(?))
  order by p.relname limit 1`;

/**
 * Builds indexes while their tables are read and written, outside a transaction. An interrupted build leaves an invalid
 * index, which the next run drops and builds again. Do nothing else in such a migration.
 */
export abstract class IndexMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** `definition` follows the table's name: `(column) where …`. For a partitioned table: `addPartitionedIndex`. */
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

  /**
   * Builds the index of each partition of a table, one after the other. Partitions that are created meanwhile get it too.
   * A later run continues after the partitions that are done.
   */
  protected async addPartitionedIndex(name: string, table: string, definition: string): Promise<void> {
    await this.#waitForBuilds(table);
    // Creates the index of the parent alone, which holds no rows. It becomes valid with the last partition's.
    await this.#withLock(`create index if not exists ${name} on only ${table} ${definition}`);
    for (;;) {
      const [next] = await this.execute(partitionWithout, [name, table, name]);
      if (next === undefined) return;
      const [partition, built] = [String(Reflect.get(next, 'partition')), Reflect.get(next, 'built')];
      const index = `${partition}_${name}`;
      try {
        if (built === false) await this.execute(`drop index concurrently ${index}`);
        if (built !== true)
          await this.execute(`create index concurrently ${index} on ${partition} ${definition}`);
        await this.#withLock(`alter index ${name} attach partition ${index}`);
      } catch (error) {
        // A worker has dropped the partition at the end of its day.
        if (!(await this.#isGone(partition))) throw error;
      }
    }
  }

  async #isGone(table: string): Promise<boolean> {
    const [found] = await this.execute('select to_regclass(?) is null as gone', [table]);
    return found !== undefined && Reflect.get(found, 'gone') === true;
  }

  /** Runs a statement that holds its lock only briefly, with the lock timeout of every transaction. */
  async #withLock(statement: string): Promise<void> {
    await this.driver.getConnection().transactional(async (transaction) => {
      await this.driver.execute(statement, [], 'run', transaction);
    });
  }

  /** Waits for a build of a killed process: PostgreSQL continues it, and it holds this lock on the table. */
  async #waitForBuilds(table: string): Promise<void> {
    await this.driver.getConnection().transactional(async (transaction) => {
      await this.driver.execute('set local lock_timeout = 0', [], 'run', transaction);
      await this.driver.execute(`lock table ${table} in share update exclusive mode`, [], 'run', transaction);
    });
  }
}
