import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';

/** The steps of the sweep. Each succeeds or fails independently. */
export const sweepSteps = ['start_waiting_jobs', 'wake_waiting_webhooks', 'keep_house'] as const;
export type SweepStep = (typeof sweepSteps)[number];

/** Records the success of a step of the sweep. `rotated`: it has also rotated the partitions of every table. */
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
