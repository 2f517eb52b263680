import { z } from 'zod';
import { dayMs } from '../../platform/units.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import {
  atMostKibibytes,
  customerId,
  integer,
  maxMilliseconds,
  milliseconds,
  name,
  openObject,
  text,
} from '../schemas.ts';

/** Max time that a time in a request may be ahead of now. */
const maxAheadMs = dayMs;

/** Max value of an id of a comment or an attachment in a request that adds it. */
export const maxNumberId = 2 ** 52;

/** The id of a stored comment. Generated ids follow the largest one sent, so they may exceed `maxNumberId`. */
export const commentId = integer(1, Number.MAX_SAFE_INTEGER);

/** Time in milliseconds since the epoch, from 0 to one day ahead. */
export const recordTime = milliseconds.refine((at) => at > maxMilliseconds || at <= Date.now() + maxAheadMs, {
  error: '<m> must be at most one day ahead.',
});

export const action = z.strictObject({
  id: customerId.describe('Your id for the action.'),
  label: name.optional().describe('Text of the button.'),
  icon: text(2_048).optional().describe('URL or name of the icon of the button.'),
  disabled: z.boolean().optional().describe('Whether the button is shown disabled.'),
  hidden: z.boolean().optional().describe('Whether the button is hidden.'),
  metadata: openObject.optional().describe('Free metadata.'),
});

export const maxActions = 20;

/** A user in a record. */
export const user = embeddedUser;

/** The acting user of a request, which each event, activity log and notification of the call repeats. */
export const actingUser = embeddedUser.superRefine(atMostKibibytes(16));
