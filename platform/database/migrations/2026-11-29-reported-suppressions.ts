import { Migration } from '@mikro-orm/migrations';

/** Adds the reports of a delivery that suppressed its address, so that a repeated report has no effect. */
export class ReportedSuppressions extends Migration {
  override up(): void {
    this.addSql(`alter table delivery_log add column suppressed smallint`);
  }
}
