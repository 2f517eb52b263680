import { advanceNotices, closeDueWindows, maxNotices } from './advance-notices.ts';
import type { ChannelContext } from './channel-context.ts';
import { holdChannel, endHold, type Hold } from './channel-hold.ts';
import { checkDeliveries, type Checked } from './check-deliveries.ts';
import { claimDeliveries, maxClaimed, type ClaimedDelivery } from './claim-deliveries.ts';
import { endExpired } from './end-expired.ts';
import { isWaiting, openLane, type OpenLane } from './open-lane.ts';
import type { ChannelTransport } from './transport.ts';
import { prepareAttempts } from './prepare-attempts.ts';
import { Recorder } from './recorder.ts';
import { orReleased, releaseClaim } from './release-claim.ts';
import { sendDeliveries, type AttemptLimits, type Halt, type Stop } from './send-deliveries.ts';
import type { SenderRef } from './sender-ref.ts';
import { maxWindows } from './close-windows.ts';
import { hasWindows } from './windows.ts';
import type { DrainOptions } from './drain-options.ts';

/** Limits of one turn; times by `performance.now()`. */
export interface TurnLimits {
  readonly ref: SenderRef;
  readonly claimsUntil: number;
  /** No attempt begins after this time. */
  readonly endsAt: number;
  readonly limits: AttemptLimits;
}

export interface Drained {
  /** As last opened; undefined for a key that sends nothing. */
  readonly lane: OpenLane | undefined;
  /** Messages that a provider has accepted. */
  readonly sent: number;
}

/** Advances the notices of a lane and sends its deliveries until none is due or the turn ends. */
export async function drainLane(options: DrainOptions, turn: TurnLimits): Promise<Drained> {
  let helper: Promise<Drained> | undefined;
  const halt: Halt = { stop: undefined };
  const drained = drain(options, turn, halt, () => {
    helper ??= drain(options, turn, halt, () => undefined);
    // Its failure is thrown below, after both calls have ended.
    helper.catch(() => undefined);
  });
  await Promise.allSettled([drained]);
  await Promise.allSettled([helper]);
  const [{ lane, sent }, helped] = await Promise.all([drained, helper]);
  return { lane, sent: sent + (helped?.sent ?? 0) };
}

/**
 * Calls `onBacklog` when more is due than one claim takes. The caller then runs a second `drain`: one sends while the
 * other claims, checks and records.
 */
async function drain(
  options: DrainOptions,
  turn: TurnLimits,
  halt: Halt,
  onBacklog: () => void,
): Promise<Drained> {
  let sent = 0;
  let hasBacklog = false;
  let mayAdvance = true;
  for (;;) {
    const lane = await openLane(options, turn.ref);
    if (lane === undefined) return { lane, sent };
    const { context, transport, hold } = lane;
    // Waiting deliveries are sent first. Windows always open and close at their times.
    if (!hasBacklog || hasWindows(context.settings.windows)) mayAdvance = await advance(options, context);
    const isHeld = isWaiting(hold) || transport === undefined;
    const claim = isHeld ? undefined : await claimBatch(options, lane);
    hasBacklog = claim?.isFull === true && hold === undefined;
    if (hasBacklog && !isPaced(options, context)) onBacklog();
    if (claim !== undefined) sent += await sendPresent(options, { ...turn, halt }, lane, claim);
    const expired = isHeld ? await endExpired(options, context) : 0;
    if (halt.stop !== undefined || options.signal.aborted || performance.now() > turn.claimsUntil)
      return { lane, sent };
    // The caller reads what became due meanwhile.
    if (!mayAdvance && claim?.isFull !== true && expired === 0) return { lane, sent };
  }
}

/** Returns whether more notices or windows may be due. */
async function advance({ onEnded }: DrainOptions, context: ChannelContext): Promise<boolean> {
  const notices = await advanceNotices(context);
  onEnded(notices.ended);
  const windows = await closeDueWindows(context);
  onEnded(windows.ended);
  return notices.due >= maxNotices || windows.due >= maxWindows;
}

const isPaced = ({ emailsPerSecond }: DrainOptions, { channel }: ChannelContext): boolean =>
  channel === 'email' && emailsPerSecond > 0;

interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due. */
  readonly isFull: boolean;
  /** By `performance.now()`. */
  readonly claimedAt: number;
}

/** Claims one delivery of a channel that was held, otherwise a full batch. */
async function claimBatch(options: DrainOptions, { context, hold }: OpenLane): Promise<Claim | undefined> {
  const { orm, emailsPerSecond, signal, onUnknown } = options;
  if (signal.aborted) return undefined;
  const claimedAt = performance.now();
  const max = hold === undefined ? maxClaimed : 1;
  const deliveries = await claimDeliveries(orm, context, {
    max,
    perSecond: isPaced(options, context) ? emailsPerSecond : undefined,
  });
  for (const { lapsed } of deliveries) if (lapsed) onUnknown();
  return deliveries.length === 0 ? undefined : { deliveries, isFull: deliveries.length === max, claimedAt };
}

/** Sends a claim by the settings at this moment, and releases it when they no longer allow the channel to send. */
async function sendPresent(
  options: DrainOptions,
  turn: TurnLimits & { readonly halt: Halt },
  claiming: OpenLane,
  claim: Claim,
): Promise<number> {
  const { deliveries } = claim;
  const { context } = claiming;
  const present = await orReleased(options, context, deliveries, async () =>
    checkPresent(options, turn, deliveries),
  );
  if (present !== undefined) return sendBatch(options, turn, present, claim);
  await releaseClaim(options, context, deliveries);
  return 0;
}

/** A claim whose channel may send. */
interface Present {
  readonly lane: OpenLane;
  readonly transport: ChannelTransport;
  readonly checked: Checked;
}

async function checkPresent(
  options: DrainOptions,
  { ref }: TurnLimits,
  deliveries: readonly ClaimedDelivery[],
): Promise<Present | undefined> {
  const lane = await openLane(options, ref);
  if (lane?.transport === undefined || isWaiting(lane.hold)) return undefined;
  const { orm, permissionProvider } = options;
  const checked = await checkDeliveries(orm.em.fork(), lane.context, permissionProvider, deliveries);
  return { lane, transport: lane.transport, checked };
}

/** Milliseconds in which attempts of a claim may begin after it was checked, also beyond the turn's end. */
const minAttemptingMs = 5_000;

/** Sends and records a checked claim. Returns the number of messages that a provider has accepted. */
async function sendBatch(
  options: DrainOptions,
  { limits, halt, endsAt }: TurnLimits & { readonly halt: Halt },
  { lane: { context, hold }, transport, checked: { sendable, ...checked } }: Present,
  { claimedAt }: Claim,
): Promise<number> {
  const { orm, retryDelaysMs, signal, onOutcome, onEnded } = options;
  const recorder = new Recorder({ orm, lane: context, expected: sendable.length, onOutcome });
  await recorder.record(checked);
  for (const outcome of checked.recorded) onOutcome(outcome);
  onEnded(checked.dropped);
  const { attempt, unprepared } = await prepareAttempts(orm, context, transport, sendable);
  const deliveries = sendable.map(({ delivery }) => delivery);
  const { stop, failures } = await sendDeliveries(deliveries, {
    retryDelaysMs,
    hashOf: context.hashOf,
    limits,
    halt,
    claimedAt,
    // The permission provider may have taken the time of the turn: the messages that it allows are sent nevertheless.
    endsAt: Math.max(endsAt, performance.now() + minAttemptingMs),
    signal,
    connect: async (waitMs) => transport.connections.take(context.tenantId, waitMs),
    attempt,
    isFailing: () => recorder.isFailing,
    onOutcome: async (outcome) => recorder.add(outcome),
  });
  // First, so that the pause that a provider requests is kept when another message failed unexpectedly.
  await concludeHold(options, context, hold, stop, recorder.hasResponse);
  const [failure] = [...failures, ...unprepared];
  if (failure !== undefined) throw failure;
  return recorder.sent;
}

async function concludeHold(
  { orm }: DrainOptions,
  context: ChannelContext,
  hold: Hold | undefined,
  stop: Stop | undefined,
  hasResponse: boolean,
): Promise<void> {
  if (stop !== undefined) await holdChannel(orm.em.fork(), context, stop.reason, stop.pauseMs);
  // Also after a refusal of the message: the server is back.
  else if (hold !== undefined && hasResponse) await endHold(orm.em.fork(), context, hold);
}
