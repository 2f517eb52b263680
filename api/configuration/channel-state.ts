import { z } from 'zod';
import { namesOf } from '../../domain/names-of.ts';
import type { Held } from '../../domain/notices/channel-settings.ts';
import { heldReasons } from '../../domain/notices/statuses.ts';

const reasons = namesOf(heldReasons);

/** Whether a channel of the key sends messages. */
export const channelState = z
  .strictObject({
    status: z.enum(['ok', 'held']).describe('`held`: messages wait for up to 72 hours until the cause ends.'),
    reason: z.enum(reasons).nullable().describe('Why messages wait. Null when `status` is `ok`.'),
    since: z
      .int()
      .nullable()
      .describe('When messages began to wait, in milliseconds since the epoch. Null when unknown.'),
  })
  .describe('Whether messages of this channel are sent.')
  .meta({ id: 'ChannelState' });

export const channelStateOf = (held: Held | undefined): z.input<typeof channelState> => ({
  status: held === undefined ? 'ok' : 'held',
  reason: held?.reason ?? null,
  since: held?.since?.getTime() ?? null,
});
