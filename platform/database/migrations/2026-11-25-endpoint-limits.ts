import { Migration } from '@mikro-orm/migrations';

/** Adds the max number of webhook endpoints of an API key; null: 100. */
export class EndpointLimits extends Migration {
  override up(): void {
    this.addSql('alter table api_key add column webhook_endpoints integer check (webhook_endpoints > 0)');
  }
}
