import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { DrainOptions } from './drain-options.ts';
import { Recorder } from './recorder.ts';
import { released } from './send-deliveries.ts';
import type { Lane } from './write-deliveries.ts';

/** Releases claimed deliveries before anything was sent: no attempt counts. */
export async function releaseClaim(
  { orm, onOutcome }: Pick<DrainOptions, 'orm' | 'onOutcome'>,
  lane: Lane,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const recorded = deliveries.map((delivery) => released(delivery));
  const recorder = new Recorder({ orm, lane, expected: 0, onOutcome });
  await recorder.record({ recorded, moved: [], dropped: [], removed: [] });
}

/** Runs a step before the first attempt of a claim, which is released when the step fails. */
export async function orReleased<Result>(
  options: Pick<DrainOptions, 'orm' | 'onOutcome'>,
  lane: Lane,
  deliveries: readonly ClaimedDelivery[],
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await releaseClaim(options, lane, deliveries);
    throw error;
  }
}
