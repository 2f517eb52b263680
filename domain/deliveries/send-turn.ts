import { setTimeout as pause } from 'node:timers/promises';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { PermissionProvider } from '../permissions/provider/permission-provider.ts';
import { maxReadyMs } from '../notices/rules/sending-rules.ts';
import { readPlanningSettings } from '../notices/planning-settings.ts';
import { suppressionHashOf } from '../notices/suppression-hash.ts';
import { missingSettings, type HeldReason } from '../notices/statuses.ts';
import { advanceNotices, closeDueWindows, type Sender } from './advance-notices.ts';
import { holdChannel, readHold, releaseChannel, type Hold } from './channel-hold.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { claimDeliveries, maxClaimed } from './claim-deliveries.ts';
import type { Clock } from './clock.ts';
import { endExpired } from './end-expired.ts';
import { findActiveTenant } from './find-tenant.ts';
import { readLaneState } from './lane-state.ts';
import type { Outbox, OpenOutbox } from './outbox.ts';
import { readMessages } from './read-messages.ts';
import type { Recorded } from './record-outcomes.ts';
import { Recorder } from './recorder.ts';
import { sendDeliveries, type Stop } from './send-deliveries.ts';
import type { SenderRef } from './sender-ref.ts';

export interface TurnOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly permissionProvider: PermissionProvider;
  /** Opens what a key sends by. */
  readonly openOutbox: OpenOutbox;
  /** Milliseconds before each attempt. */
  readonly schedule: readonly number[];
  /** Max e-mails per second of one key, over all senders; 0: no limit. */
  readonly emailsPerSecond: number;
  /** Aborts claiming. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: Recorded) => void;
  /** An earlier attempt may have sent the message: a claim lapsed. */
  readonly onUnknown: () => void;
}

/** The end of a turn. `nextIn`: milliseconds until the next one; undefined when nothing waits. */
export interface TurnEnd {
  readonly nextIn: number | undefined;
  readonly counts: {
    readonly waiting: number;
    readonly due: number;
    readonly sent: number;
    readonly held: boolean;
  };
}

/** Milliseconds. */
const times = {
  /** A turn claims nothing after it. */
  turn: 20_000,
  /** A turn waits for work that is due so soon. */
  soon: 1_000,
  /** Between turns that end what has expired on a held channel, at least. */
  expiry: 60_000,
  /** No workflow sleeps longer. */
  maxSleep: 24 * 60 * 60 * 1_000,
} as const;

const nothing: TurnEnd = { nextIn: undefined, counts: { waiting: 0, due: 0, sent: 0, held: false } };

/**
 * Runs one turn for a channel of a key: moves on its notices, closes windows, and sends what is due, until nothing is. May
 * run concurrently with another turn of the same key: rows are claimed.
 */
export async function sendDue(options: TurnOptions, ref: SenderRef): Promise<TurnEnd> {
  const closesAt = performance.now() + times.turn;
  let sent = 0;
  for (;;) {
    const lane = await openLane(options, ref);
    if (lane === undefined) return nothing;
    const { sender, outbox, hold } = lane;
    const advanced = (await advanceNotices(sender)) + (await closeDueWindows(sender));
    const isHeld = isWaiting(hold) || outbox === undefined;
    const batch = isHeld ? noBatch : await sendBatch(options, lane, outbox);
    const expired = isHeld ? await endExpired(options, sender) : 0;
    sent += batch.sent;
    if (options.signal.aborted || performance.now() > closesAt)
      return { nextIn: 0, counts: { waiting: 0, due: 0, sent, held: isWaiting(hold) } };
    if (advanced + batch.claimed + expired > 0) continue;
    const { orm } = options;
    const now = await readHold(orm.em.fork(), sender);
    const state = await readLaneState(orm.em.fork(), sender, sender.now);
    const { waiting, due, noticesIn, deliveriesIn } = state;
    const nextDelivery =
      deliveriesIn === null
        ? null
        : Math.min(
            Math.max(deliveriesIn, now?.waitMs ?? 0, state.pacedMs),
            Math.max(deliveriesIn + maxReadyMs, times.expiry),
          );
    const next = Math.min(noticesIn ?? Infinity, nextDelivery ?? Infinity);
    const counts = { waiting, due, sent, held: isWaiting(now) };
    if (next === Infinity) return { nextIn: undefined, counts };
    if (next > times.soon) return { nextIn: Math.min(next, times.maxSleep), counts };
    await pause(Math.max(next, 10), undefined, { signal: options.signal }).catch(() => undefined);
  }
}

const isWaiting = (hold: Hold | undefined): boolean => hold !== undefined && hold.waitMs > 0;

interface OpenLane {
  readonly sender: Sender;
  /** Undefined while the settings do not let the channel send. */
  readonly outbox: Outbox | undefined;
  readonly hold: Hold | undefined;
}

/** Reads the key, its settings and its hold; undefined for a key that sends nothing. */
async function openLane(
  { orm, keyRing, clock, openOutbox }: TurnOptions,
  { keyId, channel, now: workflowMs }: SenderRef,
): Promise<OpenLane | undefined> {
  const em = orm.em.fork();
  const tenant = await findActiveTenant(em, keyId);
  if (tenant === undefined) return undefined;
  const lane = { tenantId: tenant.id, channel };
  const settings = await readPlanningSettings(em, tenant.id);
  const former = await readHold(em, lane);
  const opened = await openOutbox(em, tenant, channel);
  const hold = await holdOf(em, lane, opened, former);
  return {
    sender: {
      ...lane,
      orm,
      tenant,
      settings,
      held: hold?.reason ?? null,
      // The provider decides alone, and is called outside transactions: before each attempt.
      byProvider: tenant.switches.permissionProvider ? () => true : undefined,
      now: clock(workflowMs),
      hashOf: await suppressionHashOf(em, keyRing, tenant.id),
    },
    outbox: 'held' in opened ? undefined : opened,
    hold,
  };
}

/** Settings that do not let the channel send hold it, and end a hold of that kind once they do. */
async function holdOf(
  em: Parameters<typeof readHold>[0],
  lane: Parameters<typeof readHold>[1],
  opened: Outbox | { readonly held: HeldReason },
  former: Hold | undefined,
): Promise<Hold | undefined> {
  if (!('held' in opened)) {
    if (former === undefined || !missingSettings.has(former.reason)) return former;
    await releaseChannel(em, lane);
    return undefined;
  }
  if (former?.reason === opened.held && former.waitMs > 0) return former;
  await holdChannel(em, lane, opened.held);
  return readHold(em, lane);
}

interface Batch {
  readonly claimed: number;
  readonly sent: number;
}

const noBatch: Batch = { claimed: 0, sent: 0 };

/** Claims, checks, sends and records one batch. A channel that was held is tried with one delivery. */
async function sendBatch(options: TurnOptions, { sender, hold }: OpenLane, outbox: Outbox): Promise<Batch> {
  const { orm, emailsPerSecond, permissionProvider, schedule, signal, onUnknown } = options;
  if (signal.aborted) return noBatch;
  const claimedAt = performance.now();
  const claimed = await claimDeliveries(orm, sender, {
    max: hold === undefined ? maxClaimed : 1,
    perSecond: sender.channel === 'email' && emailsPerSecond > 0 ? emailsPerSecond : undefined,
  });
  if (claimed.length === 0) return noBatch;
  for (const { lapsed } of claimed) if (lapsed) onUnknown();
  const { sendable, ...checked } = await checkDeliveries(orm.em.fork(), sender, permissionProvider, claimed);
  const recorder = new Recorder(orm, sender, options.onOutcome);
  await recorder.record(checked);
  for (const outcome of checked.recorded) options.onOutcome(outcome);
  const kept = sendable.flatMap(({ notices }) => notices.map(({ id }) => id));
  const messages = await readMessages(orm.em.fork(), sender, kept);
  const rows = new Map(sendable.map(({ delivery, notices }) => [delivery, notices]));
  const stop = await recorder.during(
    sendDeliveries([...rows.keys()], {
      schedule,
      hashOf: sender.hashOf,
      concurrency: outbox.concurrency,
      claimedAt,
      signal,
      attempt: async (delivery) =>
        outbox.attempt(delivery, messages.get(delivery.id) ?? [], rows.get(delivery) ?? []),
      onOutcome: (outcome) => recorder.add(outcome),
    }),
  );
  await concludeHold(options, sender, hold, stop, recorder.sent);
  return { claimed: claimed.length, sent: recorder.sent };
}

async function concludeHold(
  { orm }: TurnOptions,
  sender: Sender,
  hold: Hold | undefined,
  stop: Stop | undefined,
  sent: number,
): Promise<void> {
  if (stop !== undefined) await holdChannel(orm.em.fork(), sender, stop.reason, stop.pauseMs);
  else if (hold !== undefined && sent > 0) await releaseChannel(orm.em.fork(), sender);
}
