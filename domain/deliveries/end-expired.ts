import { maxReadyMs } from '../notices/rules/sending-rules.ts';
import type { Sender } from './sender.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { claimExpired } from './claim-deliveries.ts';
import type { DrainOptions } from './drain-options.ts';
import { Recorder } from './recorder.ts';
import { orReleased } from './release-claim.ts';
import { released } from './send-deliveries.ts';

/**
 * Ends deliveries of a held channel that have been ready for more than 72 hours, or all once the channel is off, at most
 * one batch. Returns their number.
 */
export async function endExpired(options: DrainOptions, sender: Sender): Promise<number> {
  const { orm, permissionProvider, onOutcome, onEnded, onUnknown } = options;
  const claimed = await claimExpired(orm, sender, isOff(sender) ? 0 : maxReadyMs);
  if (claimed.length === 0) return 0;
  for (const { lapsed } of claimed) if (lapsed) onUnknown();
  const { sendable, ...checked } = await orReleased(options, sender, claimed, async () =>
    checkDeliveries(orm.em.fork(), sender, permissionProvider, claimed),
  );
  const left = sendable.map(({ delivery }) => released(delivery));
  const recorder = new Recorder({ orm, lane: sender, expected: 0, onOutcome });
  await recorder.record({ ...checked, recorded: [...checked.recorded, ...left] });
  for (const outcome of checked.recorded) onOutcome(outcome);
  onEnded(checked.dropped);
  return checked.recorded.filter(({ kind }) => kind !== 'waits').length;
}

/** Whether the sending rules end every delivery of the channel. */
const isOff = ({ channel, settings }: Sender): boolean =>
  !settings.serviceOn || settings.channels[channel].state === 'off';
