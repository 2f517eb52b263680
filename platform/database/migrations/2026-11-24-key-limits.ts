import { Migration } from '@mikro-orm/migrations';

/** Adds limits of API keys; null: the deployment's. */
export class KeyLimits extends Migration {
  override up(): void {
    this.addSql(`alter table api_key
      add column requests_per_second integer check (requests_per_second > 0),
      add column request_burst integer check (request_burst > 0),
      add column ai_concurrency integer check (ai_concurrency > 0)`);
  }
}
