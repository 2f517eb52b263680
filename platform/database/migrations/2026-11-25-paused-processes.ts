import { Migration } from '@mikro-orm/migrations';

/** The work that each process leaves undone. An earlier release registers with the default. */
export class PausedProcesses extends Migration {
  override up(): void {
    this.addSql(`alter table process add column paused text[] not null default '{}'`);
  }
}
