import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';

/** The steps of the sweep. Each succeeds or fails independently. */
export const sweepSteps = ['start_waiting_jobs', 'wake_waiting_webhooks', 'keep_house'] as const;
export type SweepStep = (typeof sweepSteps)[number];

/** Records the success of a step of the sweep. */
export async function recordSweepStep(em: EntityManager, name: SweepStep): Promise<void> {
  await sql`insert into sweep_step (name, succeeded_at) values (${name}, now())
    on conflict (name) do update set succeeded_at = excluded.succeeded_at`.execute(tablesOf(em));
}

/**
 * Records that the partitions of every table were rotated, also when another part of `keep_house` has failed. Before the
 * first success of `keep_house`, nothing is recorded.
 */
export async function recordRotation(em: EntityManager): Promise<void> {
  await sql`update sweep_step set rotated_at = now() where name = ${'keep_house' satisfies SweepStep}`.execute(
    tablesOf(em),
  );
}
