import { z } from 'zod';
import type { Held } from '../../domain/notices/channel-settings.ts';
import { heldReasons, type HeldReason } from '../../domain/notices/statuses.ts';

const reasons = Object.keys(heldReasons) as [HeldReason, ...HeldReason[]];

/** Whether a channel of the key sends. */
export const channelState = z
  .strictObject({
    status: z.enum(['ok', 'held']).describe('`held`: messages wait until the cause has ended, max 72 hours.'),
    reason: z.enum(reasons).nullable().describe('Why messages wait. Null when `status` is `ok`.'),
    since: z
      .int()
      .nullable()
      .describe('When messages began to wait, in milliseconds since the epoch. Null when that is not known.'),
  })
  .describe('Whether messages of this channel leave.')
  .meta({ id: 'ChannelState' });

export const channelStateOf = (held: Held | undefined): z.input<typeof channelState> => ({
  status: held === undefined ? 'ok' : 'held',
  reason: held?.reason ?? null,
  since: held?.since?.getTime() ?? null,
});
