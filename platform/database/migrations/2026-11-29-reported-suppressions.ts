import { Migration } from '@mikro-orm/migrations';

/** Which reports about a delivery have suppressed its address, so that a repeated one does not suppress it again. */
export class ReportedSuppressions extends Migration {
  override up(): void {
    this.addSql(`alter table delivery_log add column suppressed smallint`);
  }
}
