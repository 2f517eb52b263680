import { Migration } from '@mikro-orm/migrations';

/**
 * Adds how far the retries of an endpoint were made due after an outage, so that a later turn continues. Workers of
 * release 0.2.0 neither read nor write it.
 */
export class Recoveries extends Migration {
  override up(): void {
    this.addSql(
      'alter table webhook_endpoint add column recovered_until timestamptz, add column recovery_spares boolean',
    );
  }
}
