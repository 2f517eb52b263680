import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';

/** The steps of the sweep, each of which succeeds or fails by itself. */
export const sweepSteps = ['start_waiting_jobs', 'wake_waiting_webhooks', 'keep_house'] as const;
export type SweepStep = (typeof sweepSteps)[number];

/** Records that a step of the sweep has succeeded now. `rotated`: and that it has rotated the partitions of every table. */
export async function recordSweepStep(
  em: EntityManager,
  name: SweepStep,
  { rotated = false }: { readonly rotated?: boolean } = {},
): Promise<void> {
  await sql`insert into sweep_step (name, succeeded_at, rotated_at)
    values (${name}, now(), case when ${rotated} then now() end)
    on conflict (name) do update set succeeded_at = excluded.succeeded_at,
      rotated_at = coalesce(excluded.rotated_at, sweep_step.rotated_at)`.execute(tablesOf(em));
}
