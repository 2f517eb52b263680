import { Migration } from '@mikro-orm/migrations';

/** Adds the id of the request that created a job, for jobs/get, the workflow's memo and the worker's log. */
export class JobRequestId extends Migration {
  override up(): void {
    this.addSql('alter table job add column request_id text');
  }
}
