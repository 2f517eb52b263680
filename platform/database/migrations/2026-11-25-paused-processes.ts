import { Migration } from '@mikro-orm/migrations';

/** Adds the kinds of work that each process does not start. Processes of earlier releases register with the default. */
export class PausedProcesses extends Migration {
  override up(): void {
    this.addSql(`alter table process add column paused text[] not null default '{}'`);
  }
}
