import { maxReadyMs } from '../notices/rules/sending-rules.ts';
import type { ChannelContext } from './channel-context.ts';
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
export async function endExpired(options: DrainOptions, context: ChannelContext): Promise<number> {
  const { orm, permissionProvider, onOutcome, onEnded, onUnknown } = options;
  const claimed = await claimExpired(orm, context, isOff(context) ? 0 : maxReadyMs);
  if (claimed.length === 0) return 0;
  for (const { lapsed } of claimed) if (lapsed) onUnknown();
  const { sendable, ...checked } = await orReleased(options, context, claimed, async () =>
    checkDeliveries(orm.em.fork(), context, permissionProvider, claimed),
  );
  const left = sendable.map(({ delivery }) => released(delivery));
  const recorder = new Recorder({ orm, lane: context, expected: 0, onOutcome });
  await recorder.record({ ...checked, recorded: [...checked.recorded, ...left] });
  for (const outcome of checked.recorded) onOutcome(outcome);
  onEnded(checked.dropped);
  return checked.recorded.filter(({ kind }) => kind !== 'waits').length;
}

/** Whether the sending rules end every delivery of the channel. */
const isOff = ({ channel, settings }: ChannelContext): boolean =>
  !settings.serviceOn || settings.channels[channel].state === 'off';
