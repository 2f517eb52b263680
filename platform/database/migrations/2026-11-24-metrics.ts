import { Migration } from '@mikro-orm/migrations';

const statements = [
  // One process at a time exports the gauges of shared rows.
  `create table lease (name text primary key, holder text not null, expires_at timestamptz not null)`,
  `create table sweep_step (name text primary key, succeeded_at timestamptz not null)`,
  `create index job_open_age on job (kind, status, created_at) where status in (0, 1)`,
  `create index webhook_endpoint_failing on webhook_endpoint (failing_since)
     where failing_since is not null and disabled_at is null and deleted_at is null`,
];

/** Creates leases of processes, the times of the sweep's successes, and indexes for the gauges of shared rows. */
export class Metrics extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
